package dev.headgate.lab.pacing;

import java.util.random.RandomGenerator;

/**
 * The arrival times of a Poisson process whose rate follows a {@link Course}, by thinning: candidates are drawn at the
 * highest possible rate, and each is kept with the probability (rate at its time) / (highest rate).
 *
 * <p>The course may change between two draws. The process has no memory, so a time that was already drawn may be
 * discarded and drawn again from now without any bias. Not safe for use by several threads.
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
        double peak = course.peak();
        double meanGapNanos = 1e9 / peak;
        long time = afterNanos;
        while (true) {
            time += Math.round(meanGapNanos * random.nextExponential());
            if (isOver(time)) {
                return course.endNanos();
            }
            double level = course.at(time);
            if (level >= peak || random.nextDouble() * peak < level) {
                return time;
            }
        }
    }
}
