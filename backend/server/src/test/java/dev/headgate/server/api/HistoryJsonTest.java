package dev.headgate.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.meter.HdrLatency;
import dev.headgate.engine.meter.MergedWindow;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class HistoryJsonTest {

    private static final Instant FROM = Instant.parse("2026-11-29T03:00:00Z");

    @Test
    void noMoreIsMeasuredThanTheRangeIsLong() {
        // stopped for 44 s, which ended in the range's first second
        assertThat(total(Duration.ofSeconds(104)).measuredMs()).isEqualTo(60_000);
    }

    @Test
    void aGapIsNotMeasured() {
        assertThat(total(Duration.ofSeconds(40)).measuredMs()).isEqualTo(40_000);
    }

    private static HistoryJson.Total total(Duration measured) {
        return HistoryJson.Total.of(
                FROM,
                FROM.plusSeconds(60),
                new MergedWindow(measured.toNanos(), HdrLatency.none(), HdrLatency.none(), 0, 0, 0, 0, 0, 0, 0));
    }
}
