package dev.headgate.bench.peers;

import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * An open pool.
 *
 * @param application the name of its connections in {@code pg_stat_activity}
 */
record PeerPool(Peer peer, String application, DataSource source, Resizing resizing, Closing closing)
        implements AutoCloseable {

    /** Changes the bounds of a pool while it is in use. */
    @FunctionalInterface
    interface Resizing {
        /** Returns before the connections are opened or closed. @throws UnsupportedOperationException if the pool cannot */
        void to(int least, int most) throws SQLException;
    }

    /** Ends a pool. */
    @FunctionalInterface
    interface Closing {
        void run() throws SQLException;
    }

    void resize(int least, int most) throws SQLException {
        resizing.to(least, most);
    }

    @Override
    public void close() throws SQLException {
        closing.run();
    }
}
