/**
 * Threads of the operating system that each wait for many sockets, and the clients' sockets that they wait for. Knows
 * nothing of sessions.
 */
@NullMarked
package dev.headgate.wire.loop;

import org.jspecify.annotations.NullMarked;
