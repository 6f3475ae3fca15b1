/**
 * Experiments with many clients of a web server: whole results in memory or streamed (Streaming Presidents), and ten thousand open
 * connections on few threads (M. Heath, ADBCJ). The server is a process of its own with a small heap, so that it may run out of memory.
 */
@NullMarked
package dev.headgate.lab.web;

import org.jspecify.annotations.NullMarked;
