package dev.headgate.wire;

/**
 * A loop as {@link LoopWatch} sees it. A turn is one round of the loop: it does the work that is ready, then waits for more.
 * Another thread than the loop's calls the methods. They never block: they use no lock or monitor that a stalled loop may
 * hold.
 */
public interface Turning {

    String name();

    /** Makes it turn soon, even if there is nothing to do. */
    void nudge();

    /** The number of turns that have begun since it was opened. */
    long turns();

    /** The loop's thread. */
    Thread thread();
}
