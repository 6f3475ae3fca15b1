package dev.headgate.wire;

/**
 * A loop as who watches it sees it. A turn is one round of what the loop does again and again: work that is ready, then
 * waiting for more. Methods are called by another thread than the loop's and never block: they enter no lock or monitor
 * that a loop which stands still may hold.
 */
public interface Turning {

    String name();

    /** Makes it turn soon, also where there is nothing to do. */
    void nudge();

    /** Turns that have begun since it was opened. */
    long turns();

    /** The thread that it runs on. */
    Thread thread();
}
