package dev.headgate.server.sizing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.meter.HdrLatency;
import dev.headgate.engine.meter.MergedWindow;
import dev.headgate.spi.Latency;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class TrialBoundsTest {

    private static final SizeSearchRequest USUAL = new SizeSearchRequest(null, null, null, null);

    private static long ms(long ms) {
        return TimeUnit.MILLISECONDS.toNanos(ms);
    }

    private static TrialMeter.Sums sums(long refused, long errors, int requests, long latencyMs) {
        Histogram latency = HdrLatency.newSum();
        for (int i = 0; i < requests; i++) {
            latency.recordValue(ms(latencyMs));
        }
        Latency seen = HdrLatency.of(latency);
        return new TrialMeter.Sums(
                new MergedWindow(ms(1_000), seen, HdrLatency.none(), requests, requests, refused, errors, 0, 0, 0));
    }

    private static final TrialMeter.Sums FINE = sums(0, 0, 100, 2);

    @Test
    void aWaitIsBoundedByASecondOrTwiceWhatCallersWaitAnyway() {
        TrialBounds bounds = TrialBounds.of(USUAL, FINE, ms(5));
        assertThat(bounds.exceeded(ms(1_000), FINE)).isEmpty();
        assertThat(bounds.exceeded(ms(1_001), FINE)).hasValue("a caller waited 1001 ms");

        assertThat(TrialBounds.of(USUAL, FINE, ms(2_000)).exceeded(ms(4_000), FINE))
                .isEmpty();
    }

    @Test
    void aBoundThatWasAskedForIsKeptAsItIs() {
        TrialBounds bounds = TrialBounds.of(new SizeSearchRequest(null, null, 50, 3), FINE, ms(200));
        assertThat(bounds.exceeded(ms(51), FINE)).hasValue("a caller waited 51 ms");
        assertThat(bounds.exceeded(0, FINE)).isEmpty();
        assertThat(bounds.exceeded(0, sums(0, 0, 100, 9)).orElseThrow()).startsWith("the p99 was 9.0");
        assertThat(bounds.exceeded(0, sums(0, 0, 19, 9))).as("too few to tell").isEmpty();
    }

    @Test
    void refusalsAndErrorsRuleASizeOutWhereThereWereNone() {
        TrialBounds strict = TrialBounds.of(USUAL, FINE, 0);
        assertThat(strict.exceeded(0, sums(3, 0, 100, 2))).hasValue("3 requests were refused");
        assertThat(strict.exceeded(0, sums(0, 2, 100, 2))).hasValue("2.0 % of the requests failed");
        assertThat(strict.exceeded(0, sums(0, 1, 100, 2))).isEmpty();

        TrialBounds wide = TrialBounds.of(USUAL, sums(5, 10, 100, 2), 0);
        assertThat(wide.exceeded(0, sums(8, 10, 100, 2))).isEmpty();
    }
}
