package dev.headgate.server.guards;

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

    /**
     * What happens in each window of 100 ms.
     *
     * @param requests that come; those that are neither refused nor left waiting get a lease at once and end in it
     * @param waiting more that come and do not get a lease
     * @param timedOut of those that wait, the oldest give up
     */
    private record Load(
            int requests, double latencyMs, double waitMs, int errors, int refused, int waiting, int timedOut) {
        Load(int requests, double latencyMs, double waitMs, int errors, int refused) {
            this(requests, latencyMs, waitMs, errors, refused, 0, 0);
        }
    }

    private static final Load CALM = new Load(10, 5, 1, 0, 0);

    private Instant now = ARMED;
    private int waiting;
    private long timedOut;

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

    @Test
    void thoseWhoStillWaitAreCountedWhereHardlyAnyoneGetsALease() {
        GuardWatch watch = new GuardWatch(new GuardBounds(null, 50.0, null, null), ARMED);
        assertThat(during(watch, Duration.ofSeconds(15), new Load(0, 0, 0, 0, 0, 1, 0)))
                .hasValueSatisfying(reason -> assertThat(reason)
                        .matches("The p99 of 24 waits in the last 2\\.4 s was 24\\d\\d\\.\\d ms \\(24 still wait\\),"
                                + " above the bound of 50 ms"));
        assertThat(watch.unjudged()).isEmpty();
    }

    @Test
    void whoWaitedAlreadyIsCountedFromTheChangeOn() {
        GuardWatch watch = new GuardWatch(new GuardBounds(null, 2_100.0, null, null), ARMED);
        now = ARMED.minusSeconds(60);
        during(watch, Duration.ofMillis(100), new Load(0, 0, 0, 0, 0, 30, 0));
        during(watch, Duration.ofMillis(59_900), new Load(0, 0, 0, 0, 0));
        assertThat(now).isEqualTo(ARMED);
        assertThat(during(watch, Duration.ofSeconds(10), new Load(0, 0, 0, 0, 0)))
                .hasValueSatisfying(reason -> assertThat(reason).contains("30 still wait"));
        assertThat(now).isEqualTo(ARMED.plusMillis(2_500));
    }

    @Test
    void whoHasNotWaitedLongerThanTheBoundIsNotCountedYet() {
        GuardWatch watch = new GuardWatch(new GuardBounds(null, 5_000.0, null, null), ARMED);
        assertThat(during(watch, Duration.ofSeconds(5), new Load(0, 0, 0, 0, 0, 10, 0)))
                .isEmpty();
        assertThat(watch.unjudged())
                .hasValue("Not judged: waitP99Ms (0 waits ended, 500 still wait); a judgement needs 20");
        assertThat(during(watch, Duration.ofSeconds(2), new Load(0, 0, 0, 0, 0, 10, 0)))
                .isPresent();
    }

    @Test
    void aQueueThatIsServedInTimeIsNotHeldAgainstASet() {
        GuardWatch watch = new GuardWatch(new GuardBounds(null, 500.0, null, null), ARMED);
        during(watch, Duration.ofMillis(300), new Load(0, 0, 0, 0, 0, 10, 0));
        assertThat(waiting).isEqualTo(30);
        assertThat(during(watch, Duration.ofSeconds(20), new Load(10, 5, 300, 0, 0)))
                .as("30 wait at any time, each for 300 ms")
                .isEmpty();
    }

    @Test
    void whoTimedOutHasWaitedInVain() {
        GuardWatch watch = new GuardWatch(new GuardBounds(null, 5_000.0, null, null), ARMED);
        during(watch, TICK, new Load(0, 0, 0, 0, 0, 1, 0));
        assertThat(during(watch, Duration.ofSeconds(15), new Load(0, 0, 0, 0, 0, 1, 1)))
                .hasValue("20 of 20 requests for a connection timed out in the last 2.0 s (100.0%): the p99 of the"
                        + " waits is above the bound of 5000 ms");
    }

    @Test
    void whoIsRefusedAtOnceHasNotWaited() {
        GuardWatch watch = new GuardWatch(new GuardBounds(null, 50.0, null, null), ARMED);
        assertThat(during(watch, Duration.ofSeconds(10), new Load(10, 5, 1, 0, 5)))
                .isEmpty();
        assertThat(watch.unjudged()).isEmpty();
    }

    @Test
    void waitersOfSeveralPoolsAreToldApart() {
        GuardWatch watch = new GuardWatch(new GuardBounds(null, 50.0, null, null), ARMED);
        Optional<String> reason = Optional.empty();
        for (int i = 1; i <= 20; i++) {
            now = now.plus(TICK);
            assertThat(reason).isEmpty();
            reason = watch.add("bank", now, window(CALM, 10, 0), 0);
            assertThat(watch.add("shop", now, window(new Load(0, 0, 0, 0, 0), 1, i), 0))
                    .isEmpty();
        }
        assertThat(reason)
                .hasValueSatisfying(text -> assertThat(text)
                        .matches("The p99 of 219 waits in the last 2\\.0 s was 17\\d\\d\\.\\d ms \\(19 still wait\\),"
                                + " above the bound of 50 ms"));
    }

    @Test
    void aBoundThatCouldNotBeJudgedIsNamed() {
        GuardWatch watch = new GuardWatch(new GuardBounds(50.0, 50.0, 0.1, 0.1), ARMED);
        during(watch, Duration.ofSeconds(3), new Load(1, 5, 1, 0, 0));
        during(watch, Duration.ofMillis(500), new Load(0, 0, 0, 0, 0));
        assertThat(watch.unjudged()).as("30 of each").isEmpty();

        GuardWatch quiet = new GuardWatch(new GuardBounds(50.0, null, null, 0.1), ARMED);
        now = ARMED;
        during(quiet, Duration.ofMillis(700), new Load(1, 5, 1, 0, 0));
        during(quiet, Duration.ofSeconds(10), new Load(0, 0, 0, 0, 0));
        assertThat(quiet.unjudged())
                .hasValue("Not judged: refusedRate (7 requests for a connection arrived), p99Ms (7 requests ended); a"
                        + " judgement needs 20");
    }

    @Test
    void aBoundIsJudgedByTheLastTwoSecondsWhateverIsRareBesideIt() {
        GuardWatch watch = new GuardWatch(new GuardBounds(50.0, null, null, null), ARMED);
        // one long lease: many requests, and nobody comes
        for (int i = 0; i < 600; i++) {
            now = now.plus(TICK);
            assertThat(watch.add("bank", now, requests(100, 5), 0)).isEmpty();
        }
        Optional<String> reason = Optional.empty();
        for (int i = 0; i < 30 && reason.isEmpty(); i++) {
            now = now.plus(TICK);
            reason = watch.add("bank", now, requests(100, 80), 0);
        }
        assertThat(reason).hasValueSatisfying(text -> assertThat(text).contains("in the last 2.0 s"));
    }

    /** The first verdict, if there is one; {@link #now} is then when it was given. */
    private Optional<String> during(GuardWatch watch, Duration span, Load load) {
        Instant end = now.plus(span);
        while (now.isBefore(end)) {
            now = now.plus(TICK);
            waiting += load.waiting() - load.timedOut();
            timedOut += load.timedOut();
            Optional<String> reason =
                    watch.add("bank", now, window(load, load.requests() + load.waiting(), waiting), timedOut);
            if (reason.isPresent()) {
                return reason;
            }
        }
        return Optional.empty();
    }

    private static Window window(Load load, int arrivals, int waiting) {
        return new Window(
                0,
                TICK.toNanos(),
                all(load.requests(), load.latencyMs()),
                all(load.requests() - load.refused(), load.waitMs()),
                arrivals,
                load.requests() - load.refused(),
                load.refused() + load.timedOut(),
                load.errors(),
                0,
                0,
                0,
                waiting,
                List.of());
    }

    private static Window requests(int count, double ms) {
        return new Window(0, TICK.toNanos(), all(count, ms), HdrLatency.none(), 0, 0, 0, 0, 0, 0, 0, 0, List.of());
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
