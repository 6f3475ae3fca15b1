package dev.headgate.wire;

import dev.headgate.engine.supervision.Supervisor;

/** Where a relay's work is done that blocks, such as sending a cancel: never on a loop. Safe for any number of threads. */
@FunctionalInterface
public interface BlockingWork {

    /**
     * Begins the work and does not wait for it.
     *
     * @param task its name under the supervisor
     * @param thread a name for its thread
     */
    void begin(String task, String thread, Supervisor.Turn work);

    /** Each work on a virtual thread of its own, which the supervisor starts. */
    static BlockingWork onVirtualThreads(Supervisor supervisor) {
        return (task, thread, work) -> {
            Thread _ = supervisor.start(task, Thread.ofVirtual().name(thread), work);
        };
    }
}
