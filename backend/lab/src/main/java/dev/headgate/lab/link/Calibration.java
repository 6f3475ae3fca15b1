package dev.headgate.lab.link;

import java.io.IOException;
import java.time.Duration;
import java.util.Locale;

/**
 * What a link without a delay adds to a round trip of one byte by itself: round trips to an echo, past a link and through it.
 *
 * @param count round trips of each kind
 */
record Calibration(int count, Echo.RoundTrips direct, Echo.RoundTrips through) {

    static Calibration measure(int count) throws IOException {
        try (Echo echo = new Echo();
                DelayedLink link = new DelayedLink(echo.port(), Duration.ZERO)) {
            Echo.warmUp(echo.port());
            Echo.warmUp(link.port());
            return new Calibration(count, Echo.roundTrips(echo.port(), count), Echo.roundTrips(link.port(), count));
        }
    }

    String describe() {
        return String.format(
                Locale.ROOT,
                "By itself a link adds %.3f ms to a round trip (p99 %.3f ms): %.3f ms directly (p99 %.3f), %.3f ms through it (p99 %.3f),"
                        + " medians of %,d round trips of one byte each",
                millis(through.medianNanos() - direct.medianNanos()),
                millis(through.p99Nanos() - direct.p99Nanos()),
                millis(direct.medianNanos()),
                millis(direct.p99Nanos()),
                millis(through.medianNanos()),
                millis(through.p99Nanos()),
                count);
    }

    private static double millis(long nanos) {
        return nanos / 1e6;
    }
}
