package dev.headgate.engine;

/**
 * What {@link Pool#relay(LeaseRequest, java.util.concurrent.Executor, RelayListener)} tells: one of the two, once. Must not
 * block.
 */
public interface RelayListener {

    /** The request has its lease, the listener's to end. */
    void leased(RelayLease lease);

    /** The request gets none, for the reason and in the situation that the exception names. */
    void refused(LeaseException why);
}
