package dev.headgate.server.limits;

/**
 * What the work of a long request tells, and asks for, while it runs. From any thread. A call throws what ends the work, if it was
 * cancelled.
 */
@FunctionalInterface
public interface Progress {

    /**
     * Tells how far the work is. Does not block.
     *
     * @param share the done share of the work, from 0 to 1
     * @throws java.util.concurrent.CancellationException if nobody waits for the work any more
     */
    void at(double share);

    /** The same for work of some equal parts. */
    default void at(int done, int parts) {
        at(parts == 0 ? 1 : (double) done / parts);
    }

    /**
     * Reserves memory beyond the estimate, until the work ends. Waits up to a second for it. Does nothing where nobody bounds the work.
     *
     * @param what continues a sentence after "memory for"
     * @throws dev.headgate.server.problems.ProblemException payload-too-large if it is more than one may ever have; unavailable, with
     *     a Retry-After, if there is no room now
     */
    default void hold(long bytes, String what) {}

    /**
     * Tells that the work changes something from here on, so that it runs to its end: nobody can cancel it any more, and it has no
     * deadline.
     *
     * @throws java.util.concurrent.CancellationException if nobody waits for the work any more; it must change nothing then
     */
    default void changes() {}
}
