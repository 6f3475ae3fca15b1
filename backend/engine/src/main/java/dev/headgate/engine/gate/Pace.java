package dev.headgate.engine.gate;

/**
 * When a gate may admit its next: by a {@link Rate} of its own, by its turn at a {@link SharedRate}, or by both.
 * Lock-free; safe for any number of threads.
 */
interface Pace {

    /** Takes one admission if it is allowed now. */
    boolean tryTake(long nowNanos);

    /** Gives back an admission that was taken for nothing. */
    void giveBack();

    /** How long until it is worth to try again; 0 where it is now. */
    long waitNanos(long nowNanos);
}
