package dev.headgate.simulator;

import java.util.function.Consumer;

/** Who asks one simulated pool for leases: when, and what for. */
interface Demand {

    /** Begins to ask, from now on, each time by handing over what is to be done with the lease. */
    void begin(Consumer<Task> ask);

    /** What is done with one lease. */
    interface Task {

        /** Begins the work; its last act is {@link Lease#giveBack}. */
        void begin(Lease lease);

        /** The gate refused a lease, or the wait for one was too long. */
        default void refused() {}
    }

    /** A lease, as far as its holder sees it. */
    interface Lease {

        /** Makes one request that takes so long on the server, and goes on when it has ended, with an error or without. */
        void request(long nanos, boolean fails, Runnable then);

        void giveBack();
    }
}
