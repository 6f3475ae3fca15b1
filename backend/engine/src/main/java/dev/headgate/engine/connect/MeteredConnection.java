package dev.headgate.engine.connect;

import dev.headgate.engine.Lease;
import dev.headgate.engine.NonBlockingThread;
import dev.headgate.engine.meter.ConnectionMeter;
import java.net.Socket;
import java.sql.SQLException;
import java.util.Properties;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.postgresql.jdbc.PgConnection;
import org.postgresql.util.HostSpec;

/**
 * A physical connection that knows its meter, so that whoever unwraps it has both. Adds nothing to any call, but that its
 * end closes its sockets whatever the driver does.
 */
public final class MeteredConnection extends PgConnection {

    private final ConnectionSockets sockets;
    private final ServerChannel channel;

    /** What a relay left in the session; the holder's own. */
    private @Nullable Leftovers leftovers;

    private final Runnable onEnd;

    /** @param onEnd called when the connection has ended, once or more */
    MeteredConnection(HostSpec host, Properties properties, String url, ConnectionSockets sockets, Runnable onEnd)
            throws SQLException {
        super(new HostSpec[] {host}, properties, url);
        this.sockets = sockets;
        this.channel = new TappedChannel(sockets.current());
        this.onEnd = onEnd;
    }

    public ConnectionMeter meter() {
        return sockets.meter();
    }

    /** The socket the server is spoken to over, above TLS where there is TLS. */
    public Socket socket() {
        return sockets.current().socket();
    }

    /** The same, for one that does not wait. */
    public ServerChannel channel() {
        return channel;
    }

    /**
     * Whether the server has ended the connection, as far as the socket knows now. Does not block. To be asked by whoever
     * holds the connection, while it is idle.
     */
    public boolean hasEnded() {
        return sockets.current().hasEnded();
    }

    /**
     * Asks the server, by an empty query; on a {@link NonBlockingThread}, the socket alone.
     *
     * @param timeout in seconds
     */
    @Override
    public boolean isValid(int timeout) throws SQLException {
        if (Thread.currentThread() instanceof NonBlockingThread) {
            return !isClosed() && !hasEnded();
        }
        Leftovers left = leftovers;
        if (left != null) {
            left.disturbed();
        }
        return super.isValid(timeout);
    }

    /** Begins a lease of the connection. */
    public void leasedTo(Lease lease, String holder) {
        sockets.leasedTo(lease);
        meter().leased(holder);
    }

    public @Nullable Leftovers leftovers() {
        return leftovers;
    }

    public void leave(@Nullable Leftovers next) {
        leftovers = next;
    }

    /** Says goodbye to the server where that is possible, and closes the connection in any case. */
    @Override
    public void close() throws SQLException {
        meter().closing();
        try {
            super.close();
        } finally {
            end();
        }
    }

    /** Closes the connection without a word to the server; does not block. */
    @Override
    public void abort(Executor executor) throws SQLException {
        meter().closing();
        try {
            super.abort(executor);
        } finally {
            end();
        }
    }

    private void end() {
        sockets.end();
        onEnd.run();
    }
}
