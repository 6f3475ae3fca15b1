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

    /** Bound where a connection that nobody has leased may be tested by a query. */
    private static final ScopedValue<Boolean> BY_QUERY = ScopedValue.newInstance();

    /** A server that was silent for longer is asked before its connection is lent. */
    private static final long TRUSTED_NANOS = 500_000_000L;

    private static final int PATIENCE_SECONDS = 1;

    private final ConnectionSockets sockets;
    private final ServerChannel channel;

    /** Session state that a relay left. Only the holder's thread uses it. */
    private @Nullable Leftovers leftovers;

    private final Runnable onEnd;

    /** The server was silent for so long that it is to be asked. Only whoever has taken the connection uses it. */
    private boolean doubtful;

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
     * Tests the connection by its socket, and by an empty query if its holder asks or if it is looked after
     * ({@link #lookingAfter}). HikariCP asks, too, before it lends a connection that was idle for a millisecond. Then only the socket is
     * looked at, because the query's answer may take longer than the borrower has; the borrower asks {@link #isDoubtful}.
     *
     * @param timeout in seconds
     */
    @Override
    public boolean isValid(int timeout) throws SQLException {
        if (isClosed() || sockets.findsLoss()) {
            return false;
        }
        if (meter().isLeased() || BY_QUERY.isBound()) {
            return Thread.currentThread() instanceof NonBlockingThread || answers(timeout);
        }
        if (!meter().foundOpen(TRUSTED_NANOS)) {
            doubtful = true;
        }
        return true;
    }

    /** Makes of a task one in which connections that nobody has leased are tested by a query. */
    public static Runnable lookingAfter(Runnable task) {
        return () -> ScopedValue.where(BY_QUERY, true).run(task);
    }

    /**
     * Whether the server was silent for so long before the connection was taken that it should be asked ({@link #answers}). By whoever
     * has taken it, until its lease begins.
     */
    public boolean isDoubtful() {
        return doubtful;
    }

    /** Asks the server by an empty query. Blocks until it answers, for {@value #PATIENCE_SECONDS} s at most. */
    public boolean answers() throws SQLException {
        boolean does = answers(PATIENCE_SECONDS);
        if (does) {
            doubtful = false;
        }
        return does;
    }

    private boolean answers(int timeout) throws SQLException {
        Leftovers left = leftovers;
        if (left != null) {
            left.disturbed();
        }
        return super.isValid(timeout);
    }

    /**
     * Whether the server has ended the connection while its holder made no requests: since the last answer, or in the whole lease. Looks
     * at the socket only after a silence of a millisecond or more, because a look costs more than a lease. By whoever has just ended the
     * lease.
     */
    public boolean wasLostInSilence() {
        return meter().wasSilent() && sockets.findsLoss();
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
        if (doubtful) { // else nothing is written, so no other core's cache line is taken away
            doubtful = false;
        }
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
