package dev.headgate.server.history;

/**
 * A column of the history, and how finely it is kept: a figure is stored as {@code figure * scale} in an {@code int}, so
 * that a domain's hour takes 190 kB. Durations keep microseconds (up to 35 minutes), rates hundredths.
 */
enum Column {
    IN_USE(100),
    SIZE(1),
    WAITING(1),
    FLOOR(1),
    CEILING(1),
    P50_MS(1_000),
    P95_MS(1_000),
    P99_MS(1_000),
    MEAN_MS(1_000),
    WAIT_P99_MS(1_000),
    PER_SECOND(100),
    ERRORS_PER_SECOND(100),
    REFUSED_PER_SECOND(100);

    private final double scale;

    Column(int scale) {
        this.scale = scale;
    }

    /** Never negative: negative numbers are free to mean that nothing was measured. */
    int pack(double figure) {
        return Math.clamp(Math.round(figure * scale), 0, Integer.MAX_VALUE);
    }

    double unpack(int stored) {
        return stored / scale;
    }
}
