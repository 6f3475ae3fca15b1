/**
 * The PostgreSQL wire port. Any driver can use its domain's pool through it without knowing Headgate.
 *
 * <p>{@link dev.headgate.wire.WirePort} accepts clients and assigns each to a loop ({@code wire.loop}). {@code wire.session},
 * a state machine without I/O, interprets a client's messages. This package connects the two: {@code ClientLine} and
 * {@code ServerLine} hold the sockets, {@code Relay} stands between them. A client without a socket is another
 * {@link dev.headgate.wire.ClientEnd}. Knows the engine and the protocol, but neither Spring nor HTTP.
 */
@NullMarked
package dev.headgate.wire;

import org.jspecify.annotations.NullMarked;
