package dev.headgate.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.headgate.engine.meter.MergedWindow;
import dev.headgate.server.feed.Samples;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SampleJsonTest {

    /** However the windows are grouped on their way, the figures are those of all requests at once. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void mergingInAnyGroupsGivesTheFiguresOfAllRequests(long seed) {
        Random random = new Random(seed);
        long[] all = {};
        MergedWindow whole = null;
        MergedWindow group = null;
        int windows = 1 + random.nextInt(60);
        for (int n = 0; n < windows; n++) {
            long[] some = Samples.durations(random);
            all = LongStream.concat(LongStream.of(all), LongStream.of(some)).toArray();
            MergedWindow window = MergedWindow.of(Samples.busy(1, n, 2, some));
            group = group == null ? window : group.plus(window);
            if (random.nextInt(4) == 0) {
                whole = whole == null ? group : whole.plus(group);
                group = null;
            }
        }
        if (group != null) {
            whole = whole == null ? group : whole.plus(group);
        }

        SampleJson expected = SampleJson.of(new MergedWindow(
                windows * Samples.TENTH,
                Samples.latency(all),
                Samples.waits(all.length),
                all.length,
                all.length,
                0,
                windows,
                2,
                windows - 1,
                0));
        assertThat(SampleJson.of(whole)).isEqualTo(expected);
        assertThat(whole.mostWaiting()).isEqualTo(windows - 1);
        assertThat(whole.inUse()).isCloseTo(2, within(1e-9));
    }

    @Test
    void latencyFiguresAreNullWhereNothingEnded() {
        SampleJson sample = SampleJson.of(MergedWindow.of(Samples.window()));

        assertThat(sample.count()).isZero();
        assertThat(sample.windowMs()).isEqualTo(100);
        assertThat(sample.meanMs()).isNull();
        assertThat(sample.p99Ms()).isNull();
        assertThat(sample.waitMaxMs()).isNull();
        assertThat(sample.perSecond()).isZero();
    }
}
