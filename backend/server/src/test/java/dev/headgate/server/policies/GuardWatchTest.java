package dev.headgate.server.policies;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.meter.HdrLatency;
import dev.headgate.spi.Latency;
import dev.headgate.spi.Window;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class GuardWatchTest {

    private static final Instant ARMED = Instant.parse("2026-11-21T12:00:00Z");
    private static final Duration TICK = Duration.ofMillis(100);

    /** What happens in each window of 100 ms. */
    private record Load(int requests, double latencyMs, double waitMs, int errors, int refused) {}

    private static final Load CALM = new Load(10, 5, 1, 0, 0);

    private Instant now = ARMED;

    @Test
    void aRevisionThatKeepsItsBoundsStays() {
        GuardWatch watch = new GuardWatch(new GuardBounds(50.0, 50.0, 0.01, 0.01), ARMED);
        assertThat(during(watch, Duration.ofMinutes(1), CALM)).isEmpty();
    }

    @Test
    void aP99AboveTheBoundIsToldWithItsFigures() {
        GuardWatch watch = new GuardWatch(new GuardBounds(50.0, null, null, null), ARMED);
        assertThat(during(watch, Duration.ofSeconds(10), new Load(10, 80, 0, 0, 0)))
                .hasValueSatisfying(
                        reason -> assertThat(reason)
                                .matches(
                                        "The p99 of 200 requests in the last 2\\.0 s was 80\\.\\d ms, above the bound of 50 ms"));
        assertThat(now).as("no verdict on the first 2 s").isEqualTo(ARMED.plusSeconds(2));
    }

    @Test
    void longWaitsAreSeenWhereTheLatencyIsGood() {
        GuardWatch watch = new GuardWatch(new GuardBounds(50.0, 100.0, null, null), ARMED);
        assertThat(during(watch, Duration.ofSeconds(10), new Load(10, 5, 300, 0, 0)))
                .hasValueSatisfying(reason -> assertThat(reason).startsWith("The p99 of 200 waits"));
    }

    @Test
    void errorsAndRefusalsAreShares() {
        GuardWatch errors = new GuardWatch(new GuardBounds(null, null, 0.05, null), ARMED);
        assertThat(during(errors, Duration.ofSeconds(10), new Load(10, 5, 0, 1, 0)))
                .hasValue("20 of 200 requests failed in the last 2.0 s (10.0%), above the bound of 5.0%");
        now = ARMED;
        GuardWatch refusals = new GuardWatch(new GuardBounds(null, null, null, 0.25), ARMED);
        assertThat(during(refusals, Duration.ofSeconds(10), new Load(10, 5, 0, 0, 5)))
                .hasValue("100 of 200 requests for a connection were refused in the last 2.0 s (50.0%), above the bound"
                        + " of 25.0%");
    }

    @Test
    void exactlyAtTheBoundIsKept() {
        GuardWatch watch = new GuardWatch(new GuardBounds(null, null, 0.1, 0.5), ARMED);
        assertThat(during(watch, Duration.ofSeconds(10), new Load(10, 5, 0, 1, 5)))
                .isEmpty();
    }

    @Test
    void fewSamplesGiveNoVerdictUntilEnoughHaveCome() {
        GuardWatch watch = new GuardWatch(new GuardBounds(50.0, null, null, null), ARMED);
        Load idle = new Load(0, 0, 0, 0, 0);
        Load slow = new Load(1, 80, 0, 0, 0);
        int seen = 0;
        Optional<String> reason = Optional.empty();
        while (reason.isEmpty() && seen < 100) {
            during(watch, Duration.ofMillis(900), idle);
            reason = during(watch, TICK, slow);
            seen++;
            if (reason.isEmpty()) {
                reason = during(watch, Duration.ofMillis(500), idle);
            }
        }
        assertThat(seen).isEqualTo(GuardWatch.LEAST);
        assertThat(reason.orElseThrow()).startsWith("The p99 of 20 requests in the last 2");
    }

    @Test
    void whatIsOlderThanTwoSecondsIsForgotten() {
        GuardWatch watch = new GuardWatch(new GuardBounds(null, null, null, 0.5), ARMED);
        during(watch, Duration.ofMillis(1500), CALM);
        assertThat(during(watch, Duration.ofSeconds(30), CALM)).isEmpty();
        assertThat(during(watch, Duration.ofMillis(2500), new Load(10, 5, 0, 0, 10)))
                .as("half an hour of calm does not make up for 2 s")
                .isPresent();
    }

    @Test
    void whatWasMeasuredBeforeTheChangeDoesNotCount() {
        GuardWatch watch = new GuardWatch(new GuardBounds(50.0, null, null, null), ARMED);
        now = ARMED.minusMillis(5050);
        during(watch, Duration.ofMillis(5100), new Load(10, 80, 0, 0, 0));
        assertThat(during(watch, Duration.ofSeconds(5), CALM)).isEmpty();
    }

    /** The first verdict, if there is one; {@link #now} is then when it was given. */
    private Optional<String> during(GuardWatch watch, Duration span, Load load) {
        Instant end = now.plus(span);
        while (now.isBefore(end)) {
            now = now.plus(TICK);
            Optional<String> reason = watch.add(now, window(load));
            if (reason.isPresent()) {
                return reason;
            }
        }
        return Optional.empty();
    }

    private static Window window(Load load) {
        return new Window(
                0,
                TICK.toNanos(),
                all(load.requests(), load.latencyMs()),
                all(load.requests(), load.waitMs()),
                load.requests(),
                load.requests() - load.refused(),
                load.refused(),
                load.errors(),
                0,
                0,
                0,
                0,
                List.of());
    }

    private static Latency all(int count, double ms) {
        if (count == 0) {
            return HdrLatency.none();
        }
        Histogram histogram = HdrLatency.newHistogram();
        histogram.recordValueWithCount((long) (ms * 1e6), count);
        return HdrLatency.of(histogram);
    }
}
