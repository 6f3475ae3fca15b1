package dev.headgate.lab.pacing;

import java.util.Optional;

/** How high a load is at each time since its start: arrivals a second, or users. Immutable. */
public interface Course {

    /** At a time since the start, 0 to {@link #peak}. */
    double at(long nanos);

    /** The highest it can be, above 0. */
    double peak();

    /** The time since the start at which it is over; {@link Long#MAX_VALUE} for never. */
    default long endNanos() {
        return Long.MAX_VALUE;
    }

    /**
     * Goes on for ever.
     *
     * @param tide empty for a constant level
     */
    static Course of(double mean, Optional<Tide> tide) {
        return new Course() {
            @Override
            public double at(long nanos) {
                return tide.isEmpty() ? mean : mean * tide.get().at(nanos);
            }

            @Override
            public double peak() {
                return tide.isEmpty() ? mean : mean * tide.get().peak();
            }
        };
    }
}
