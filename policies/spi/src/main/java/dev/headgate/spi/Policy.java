package dev.headgate.spi;

import java.util.OptionalDouble;

/**
 * Says how many connections one pool may hold, and why.
 *
 * <p><b>Threads.</b> All methods of one policy are called by the governor of its database, one call at a time and never
 * concurrently; successive calls may come from different threads, each call happening-before the next. A policy
 * therefore needs no locks and must not start threads.
 *
 * <p><b>Blocking.</b> No method may block, sleep, or do I/O. A call that lasts longer than 50 ms is abandoned: its thread
 * is interrupted, the policy is quarantined (never called again), its last answer stands, and the pool is marked
 * degraded.
 *
 * <p><b>Failing.</b> An exception or a null answer changes nothing: the last answer stands, the pool is marked degraded
 * with the reason, and the policy is asked again at the next step. A policy that has not answered yet leaves the limits of
 * the former set in force, if there was one.
 *
 * <p><b>Time and chance.</b> A policy takes the time from the view and never from the system, so that the same policy
 * runs in virtual time in the simulator. Where it needs random numbers it seeds its own generator from its parameters.
 */
public interface Policy extends AutoCloseable {

    /**
     * Answers what the pool may do from now on. Called at every step of the governor: every 100 ms, and sooner
     * when a request finds no free connection, among other causes.
     *
     * @param pool the pool at this instant; immutable, valid beyond the call
     * @return the limits this policy asks for; start from {@link Limits#unbounded()} and narrow what matters. Never null
     */
    Limits limits(PoolView pool);

    /**
     * The latency of requests that this policy expects of the pool at the size it has just granted, in nanoseconds and in
     * the figure it steers by (a mean, a percentile). Asked after {@link #limits} in the same step, for the decision log alone: it changes nothing.
     *
     * @return empty where the policy predicts nothing
     */
    default OptionalDouble predictedNanos() {
        return OptionalDouble.empty();
    }

    /**
     * The present latency of requests as this policy judged it for the reason of its last answer, in nanoseconds and in the
     * figure it steers by. A policy judges a longer time than one window, so a decision that quotes the reason shows this
     * figure beside those of the last window. Asked after {@link #limits} in the same step, for the decision log alone: it
     * changes nothing.
     *
     * @return empty where the reason rests on no latency
     */
    default OptionalDouble judgedNanos() {
        return OptionalDouble.empty();
    }

    /**
     * Receives what was measured, once per window of 100 ms, before {@link #limits} is asked in the same step.
     *
     * @param window the window that has just ended; immutable, valid beyond the call
     */
    default void observe(Window window) {}

    /** Called once, after the last other call, when the policy set is replaced. Must not block; may be left empty. */
    @Override
    default void close() {}
}
