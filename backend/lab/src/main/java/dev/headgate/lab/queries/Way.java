package dev.headgate.lab.queries;

import java.io.IOException;
import java.sql.SQLException;

/** One way to execute the queries of a caller. Used by one thread at a time. */
public interface Way extends AutoCloseable {

    /** A row by its key. Returns the key, so that answers can be checked. */
    String QUERY = "SELECT aid, abalance FROM pgbench_accounts WHERE aid = $1";

    /**
     * Executes {@link #QUERY} for each key and reads all rows.
     *
     * @return the sum of the keys that the server returned
     */
    long run(int[] keys) throws Exception;

    @Override
    void close() throws SQLException, IOException;
}
