package dev.headgate.engine.connect;

import dev.headgate.engine.Lease;
import dev.headgate.engine.NonBlockingThread;
import dev.headgate.engine.meter.ConnectionMeter;
import java.net.Socket;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.Properties;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.postgresql.jdbc.PgConnection;
import org.postgresql.util.HostSpec;

/**
 * A physical connection with its meter; unwrapping gives both. Its end closes its sockets whatever the driver does, and
 * warnings are cleared only if there are any.
 */
public final class MeteredConnection extends PgConnection {

    /** Bound while connections are tested by their sockets only. */
    static final ScopedValue<Boolean> BY_SOCKET = ScopedValue.newInstance();

    private static final long FRESH_NANOS = 100_000L;

    private final ConnectionSockets sockets;
    private final ServerChannel channel;

    /** Session state that a relay left. Only the holder's thread uses it. */
    private @Nullable Leftovers leftovers;

    private final Runnable onEnd;

    /** The driver itself has something to say; the holder's own. */
    private boolean hasWarning;

    /** @param onEnd called when the connection has ended, at least once */
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

    /** The socket to the server, above TLS if there is TLS. */
    public Socket socket() {
        return sockets.current().socket();
    }

    /** The same for a non-blocking holder. */
    public ServerChannel channel() {
        return channel;
    }

    /**
     * Whether the server has ended the connection, as far as the socket knows. Looks at the socket only if nothing was heard
     * of the server for 100 µs, because a look costs more than the rest of a lease. Does not block. Only the connection's
     * holder may call it, while the connection is idle.
     *
     * @param nowNanos an instant read shortly before: reading the clock once more costs a tenth of a lease
     */
    public boolean hasEnded(long nowNanos) {
        if (meter().wasHeardSince(nowNanos - FRESH_NANOS)) {
            return false;
        }
        boolean ended = sockets.current().hasEnded();
        if (!ended) {
            meter().foundOpen(nowNanos);
        }
        return ended;
    }

    /**
     * Tests the connection by its socket, and by an empty query; on a {@link NonBlockingThread} and within {@link #BY_SOCKET} by
     * the socket only.
     *
     * @param timeout in seconds
     */
    @Override
    public boolean isValid(int timeout) throws SQLException {
        if (isClosed() || sockets.findsLoss()) {
            return false;
        }
        if (Thread.currentThread() instanceof NonBlockingThread || BY_SOCKET.isBound()) {
            return true;
        }
        Leftovers left = leftovers;
        if (left != null) {
            left.disturbed();
        }
        return super.isValid(timeout);
    }

    @Override
    public void addWarning(SQLWarning warning) {
        hasWarning = true;
        super.addWarning(warning);
    }

    /** Takes the driver's locks only where there may be something to clear: HikariCP asks for it at the end of every lease. */
    @Override
    public void clearWarnings() throws SQLException {
        if (meter().takeNotice() || hasWarning || isClosed()) {
            hasWarning = false;
            super.clearWarnings();
        }
    }

    /** Begins a lease of the connection. */
    public void leasedTo(Lease lease) {
        sockets.current().settled();
        meter().leased(lease);
    }

    public @Nullable Leftovers leftovers() {
        return leftovers;
    }

    public void leave(@Nullable Leftovers next) {
        leftovers = next;
        meter().prepares(next == null ? null : next::prepared);
    }

    /** Sends the server a Terminate message if possible, and closes the connection in any case. */
    @Override
    public void close() throws SQLException {
        meter().closing();
        boolean _ = sockets.findsLoss(); // before anything of ours closes the socket
        try {
            super.close();
        } finally {
            end();
        }
    }

    /** Closes the connection without a message to the server. Does not block. */
    @Override
    public void abort(Executor executor) throws SQLException {
        meter().closing();
        try {
            super.abort(executor);
        } finally {
            end();
        }
    }

    /** Cuts the sockets. Sends nothing, and does not wait for the server. From any thread. */
    public void cut() {
        sockets.end();
    }

    /** Whether the socket to the server has ended. By whoever holds the connection. */
    public boolean hasEnded() {
        return sockets.current().hasEnded();
    }

    private void end() {
        sockets.end();
        onEnd.run();
    }
}
