/**
 * PostgreSQL's messages: framing, pipelines, prepared statements, the state of a connection, and what a statement's text
 * leaves in its session. Depends on nothing of ours and does no I/O, so that the wire port and SQL over HTTP share it.
 */
@NullMarked
package dev.headgate.protocol;

import org.jspecify.annotations.NullMarked;
