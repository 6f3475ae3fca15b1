package dev.headgate.server.history;

import dev.headgate.server.api.Second;
import java.time.Instant;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A figure of a {@link Second} as the history keeps it, and how finely: it is stored as {@code figure * scale} in an {@code
 * int}, so that a domain's hour takes 200 kB. Durations keep microseconds (up to 35 minutes), rates hundredths.
 */
enum Column {
    IN_USE(100, Second::inUse),
    SIZE(1, Second::size),
    WAITING(1, Second::waiting),
    FLOOR(1, Second::floor),
    CEILING(1, Second::ceiling),
    P50_MS(1_000, Second::p50Ms),
    P95_MS(1_000, Second::p95Ms),
    P99_MS(1_000, Second::p99Ms),
    MEAN_MS(1_000, Second::meanMs),
    WAIT_P99_MS(1_000, Second::waitP99Ms),
    PER_SECOND(100, Second::perSecond),
    ERRORS_PER_SECOND(100, Second::errorsPerSecond),
    REFUSED_PER_SECOND(100, Second::refusedPerSecond),
    LEASES_PER_SECOND(100, Second::leasesPerSecond);

    /** What is stored where nothing was measured. */
    static final int NOTHING = -1;

    private final double scale;

    @SuppressWarnings("ImmutableEnumChecker") // a method of a record
    private final Function<Second, @Nullable Double> figure;

    Column(int scale, Function<Second, @Nullable Double> figure) {
        this.scale = scale;
        this.figure = figure;
    }

    int pack(Second second) {
        Double measured = figure.apply(second);
        return measured == null ? NOTHING : Math.clamp(Math.round(measured * scale), 0, Integer.MAX_VALUE);
    }

    /** A second with these figures. */
    static Second second(Instant end, Function<Column, @Nullable Double> figures) {
        return new Second(
                end,
                known(figures.apply(IN_USE)),
                known(figures.apply(SIZE)),
                known(figures.apply(WAITING)),
                known(figures.apply(FLOOR)),
                known(figures.apply(CEILING)),
                figures.apply(P50_MS),
                figures.apply(P95_MS),
                figures.apply(P99_MS),
                figures.apply(MEAN_MS),
                figures.apply(WAIT_P99_MS),
                figures.apply(PER_SECOND),
                figures.apply(ERRORS_PER_SECOND),
                figures.apply(REFUSED_PER_SECOND),
                figures.apply(LEASES_PER_SECOND));
    }

    /** Of a column that every second has. */
    private static double known(@Nullable Double figure) {
        return Objects.requireNonNull(figure);
    }

    @Nullable
    Double unpack(int stored) {
        return stored == NOTHING ? null : (Double) (stored / scale);
    }
}
