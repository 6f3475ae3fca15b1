package dev.headgate.lab.pacing;

import java.util.Optional;

/** How high a load is at each time since its start: arrivals a second, or users. Immutable. */
public interface Course {

    /**
     * What the level does not exceed for a while.
     *
     * @param level 0 or more
     * @param untilNanos the time since the start from which another bound holds; {@link Long#MAX_VALUE} for never
     */
    record Bound(double level, long untilNanos) {}

    /** At a time since the start, 0 to the bound's level. */
    double at(long nanos);

    /** The bound at a time since the start before its end. Near to the level, or arrivals take long to draw. */
    Bound bound(long nanos);

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
            public Bound bound(long nanos) {
                return new Bound(tide.isEmpty() ? mean : mean * tide.get().peak(), Long.MAX_VALUE);
            }
        };
    }
}
