package dev.headgate.engine;

/**
 * The place of a request that was let in before its work began ({@link Pool#admit}). It counts against the pool's free connections until
 * the request has its lease. Whoever does not come through the door can still take the connection first; then {@link #acquire} waits
 * for the next. Safe for use by several threads.
 */
public interface Place extends AutoCloseable {

    /**
     * As {@link Pool#acquire}, once, and never refused because the pool is exhausted. Gives the place up. Blocks.
     *
     * @throws IllegalStateException if the place was given up before
     */
    Lease acquire() throws LeaseException;

    /** Gives the place up. Does nothing after {@link #acquire}: the lease is closed by itself. */
    @Override
    void close();
}
