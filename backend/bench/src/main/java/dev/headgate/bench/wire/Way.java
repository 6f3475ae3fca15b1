package dev.headgate.bench.wire;

/** One way to execute the queries of a caller. Used by one thread at a time. */
interface Way extends AutoCloseable {

    /** A row by its key. Returns the key, so that answers can be checked. */
    String QUERY = "SELECT aid, abalance FROM pgbench_accounts WHERE aid = $1";

    /**
     * Executes {@link #QUERY} for each key and reads all rows.
     *
     * @return the sum of the keys that the server returned
     */
    long run(int[] keys) throws Exception;

    @Override
    void close() throws Exception;
}
