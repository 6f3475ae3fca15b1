package dev.headgate.engine.gate;

/** The gate refuses a request. Has no stack trace: it is an answer, not a fault, and can be frequent. */
public final class Refusal extends Exception {

    private static final long serialVersionUID = 1;

    /** Why a request was not admitted. */
    public enum Why {
        /** Its deadline has passed. */
        TIMED_OUT,
        /** No permit is free, and the rules say fail. */
        FAILED,
        /** No permit is free, and the rules say reject. */
        REJECTED,
        /** The queue is full. */
        QUEUE_FULL,
        /** The gate is draining or closed. */
        CLOSED,
        /** An operator ended its wait. */
        ENDED,
        /** The waiting thread was interrupted, or the caller left the queue. */
        INTERRUPTED
    }

    private final Why why;
    private final long waitedNanos;

    Refusal(Why why, long waitedNanos) {
        super(why.name(), null, false, false);
        this.why = why;
        this.waitedNanos = waitedNanos;
    }

    public Why why() {
        return why;
    }

    public long waitedNanos() {
        return waitedNanos;
    }
}
