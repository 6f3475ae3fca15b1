package dev.headgate.engine.gate;

/** The gate's no. Thrown without a stack trace: it is an answer, not a fault, and it may be given often. */
public final class Refusal extends Exception {

    private static final long serialVersionUID = 1;

    /** Why a request was not admitted. */
    public enum Why {
        /** It waited as long as it may. */
        TIMED_OUT,
        /** Nothing is free, and the rules say fail. */
        FAILED,
        /** Nothing is free, and the rules say turn away. */
        REJECTED,
        /** As many wait already as may. */
        QUEUE_FULL,
        /** The gate is draining or closed. */
        CLOSED,
        /** The waiting thread was interrupted, or the caller gave its place up. */
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
