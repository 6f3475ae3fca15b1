package dev.headgate.engine.governor;

import java.util.List;

/**
 * Runs the policies' code for a governor. In virtual time that is a plain loop; in production it is a thread that can be
 * left behind when a policy blocks.
 */
public interface PolicyRunner extends AutoCloseable {

    /** Runs the calls in order; returns when each has ended or was abandoned. */
    void run(List<PolicyCall> calls);

    /**
     * A set has been retired: what its policies have left on the runner's threads (thread locals, above all) is let go, so that
     * their classes can be.
     */
    default void forget() {}

    @Override
    default void close() {}

    /** Runs every call on the caller's own thread. */
    static PolicyRunner direct() {
        return calls -> calls.forEach(PolicyCall::run);
    }
}
