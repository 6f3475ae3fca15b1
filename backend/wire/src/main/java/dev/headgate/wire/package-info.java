/**
 * The PostgreSQL wire port: any driver reaches its domain's pool by it, without knowing of Headgate.
 *
 * <p>{@link dev.headgate.wire.WirePort} accepts clients and assigns each to a loop ({@code wire.loop}). What a client's
 * messages mean is decided by {@code wire.session}, a state machine without I/O; this package joins the two: {@code
 * ClientLine} and {@code ServerLine} are the ends of the sockets, {@code Relay} stands between them. Knows the engine and
 * the protocol, and neither Spring nor HTTP.
 */
@NullMarked
package dev.headgate.wire;

import org.jspecify.annotations.NullMarked;
