/**
 * PostgreSQL's messages: framing, pipelines, prepared statements, the state of a connection, and the effects of a
 * statement's text on its session. Depends on no other module and does no I/O, so that the wire port and SQL over HTTP share
 * it.
 */
@NullMarked
package dev.headgate.protocol;

import org.jspecify.annotations.NullMarked;
