package dev.headgate.server.limits;

/** Where the work of a long request tells how far it is. Does not block. A call throws what ends the work, if it was cancelled. */
@FunctionalInterface
public interface Progress {

    /**
     * @param share the done share of the work, from 0 to 1
     * @throws java.util.concurrent.CancellationException if nobody waits for the work any more
     */
    void at(double share);

    /** The same for work of some equal parts. */
    default void at(int done, int parts) {
        at(parts == 0 ? 1 : (double) done / parts);
    }
}
