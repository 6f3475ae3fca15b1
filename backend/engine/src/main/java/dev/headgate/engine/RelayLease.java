package dev.headgate.engine;

import dev.headgate.engine.connect.Leftovers;
import dev.headgate.engine.connect.ServerChannel;
import java.net.Socket;
import org.jspecify.annotations.Nullable;

/**
 * A checkout of a connection by a holder that speaks the server's protocol over its socket instead of JDBC. The holder must
 * return the connection idle, with no server message left to read.
 *
 * <p>Session state (settings, prepared statements) may stay for the next relay, which finds it in {@link #left()}. It is
 * removed before the connection is leased for JDBC ({@link Leftovers#remove}).
 */
public interface RelayLease extends Lease {

    /**
     * The non-blocking channel to the server. Must not be used after the end of the lease or while JDBC uses the connection.
     * Exception: any thread that may block can cancel a request by JDBC's {@code cancelQuery}.
     */
    ServerChannel channel();

    /** The connection's socket with blocking streams, above TLS if the target uses it. Its bytes are measured. */
    Socket socket();

    /**
     * Notes the text that is about to be executed, as {@link #executes(String)}, from UTF-8 bytes; the first
     * {@value dev.headgate.engine.meter.StatementText#MOST} are copied.
     */
    void executes(byte[] text, int from, int to);

    /** The session state that the last relay left; null if the session is as JDBC knows it. */
    @Nullable
    Leftovers left();

    /** Sets the session state that is left from now on; null for none. */
    void leave(@Nullable Leftovers leftovers);
}
