package dev.headgate.engine.gate;

/**
 * Says when a gate may admit its next request: by a {@link Rate} of its own, by its turn at a {@link SharedRate}, or by
 * both. Lock-free and safe for any number of threads.
 */
interface Pace {

    /** Takes one admission if it is allowed now. */
    boolean tryTake(long nowNanos);

    /** Gives back an admission that was not used. */
    void giveBack();

    /** How long to wait before the next try; 0 if it may succeed now. */
    long waitNanos(long nowNanos);
}
