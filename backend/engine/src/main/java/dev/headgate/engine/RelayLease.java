package dev.headgate.engine;

import dev.headgate.engine.connect.Leftovers;
import dev.headgate.engine.connect.ServerChannel;
import java.net.Socket;
import org.jspecify.annotations.Nullable;

/**
 * A checkout of a connection by somebody who speaks the server's protocol over its socket, instead of JDBC. Whoever holds
 * it must give it back as it was found: idle, with nothing unread that the server will send.
 *
 * <p>What is left behind in the session (settings, prepared statements) may stay for the next relay, which finds it in
 * {@link #left()}. Before anyone gets the connection by JDBC, it is put back ({@link Leftovers#remove}).
 */
public interface RelayLease extends Lease {

    /**
     * The way to the server without waiting. Not to be used after the lease's end, nor while JDBC uses the connection; but a
     * request may be cancelled by JDBC's {@code cancelQuery}, from any thread that may block.
     */
    ServerChannel channel();

    /** The connection's own socket, whose streams block, with TLS beneath it where the target wants it; its bytes are measured. */
    Socket socket();

    /** What the last relay left in the session; null where it is as JDBC knows it. */
    @Nullable
    Leftovers left();

    /** Says what is left in the session from now on; null for nothing. */
    void leave(@Nullable Leftovers leftovers);
}
