package dev.headgate.lab.pacing;

import java.util.random.RandomGenerator;

/**
 * The arrival times of a Poisson process whose rate follows a {@link Course}, by thinning: candidates are drawn at the
 * highest rate of the present part of the course, and each is kept with the probability (rate at its time) / (highest rate). By the
 * highest rate of the whole course, an hour's pause after a high rate would take millions of candidates.
 *
 * <p>The course may change between two draws. The process has no memory, so a time that was already drawn may be
 * discarded and drawn again from now without any bias; so may one that lies beyond the present part, from its end. Not safe for use by
 * several threads.
 */
public final class Arrivals {

    private final RandomGenerator random;
    private Course course;

    /** @param course of arrivals a second */
    public Arrivals(Course course, RandomGenerator random) {
        this.course = course;
        this.random = random;
    }

    public void change(Course course) {
        this.course = course;
    }

    /** Whether the course is over at a time. */
    public boolean isOver(long nanos) {
        return nanos >= course.endNanos();
    }

    /**
     * Returns the first arrival after a time. Both are in nanoseconds since the load's start.
     *
     * @return later than {@code afterNanos} or, where two arrivals share a nanosecond, equal to it; the end of the course if none is
     *     before that
     */
    public long next(long afterNanos) {
        long time = afterNanos;
        while (!isOver(time)) {
            Course.Bound bound = course.bound(time);
            double most = bound.level();
            long gap = most == 0 ? Long.MAX_VALUE : Math.round(1e9 / most * random.nextExponential());
            if (gap >= bound.untilNanos() - time) {
                time = bound.untilNanos();
                continue;
            }
            time += gap;
            double level = course.at(time);
            if (level >= most || random.nextDouble() * most < level) {
                return time;
            }
        }
        return course.endNanos();
    }
}
