package dev.headgate.engine;

/**
 * Receives the outcome of {@link Pool#relay(LeaseRequest, java.util.concurrent.Executor, RelayListener)}: one of the two
 * methods is called, once. Must not block.
 */
public interface RelayListener {

    /** The request has its lease. The listener must end it. */
    void leased(RelayLease lease);

    /** The request gets no lease. The exception has the reason and the state of the pool. */
    void refused(LeaseException why);
}
