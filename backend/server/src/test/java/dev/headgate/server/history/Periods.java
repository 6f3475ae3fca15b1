package dev.headgate.server.history;

import dev.headgate.engine.meter.HdrLatency;
import dev.headgate.engine.meter.MergedWindow;
import dev.headgate.server.api.Second;
import dev.headgate.spi.Latency;
import java.time.Instant;
import java.util.Random;
import org.HdrHistogram.Histogram;

/** Generated seconds of a domain, the same for the same seed. */
final class Periods {

    private final Random random;
    private final double perSecond;

    /** @param perSecond requests in a second, on average */
    Periods(long seed, double perSecond) {
        this.random = new Random(seed);
        this.perSecond = perSecond;
    }

    /** What was measured in the next second. Some seconds are idle. */
    MergedWindow measured() {
        int requests = random.nextInt(20) == 0 ? 0 : (int) (perSecond * (0.5 + random.nextDouble()));
        int inUse = random.nextInt(40);
        return new MergedWindow(
                1_000_000_000L + random.nextInt(1_000_000) - 500_000,
                latency(requests, 3e6),
                waits(requests),
                requests + random.nextInt(3),
                requests,
                random.nextInt(10) == 0 ? random.nextInt(5) : 0,
                random.nextInt(50) == 0 ? 1 : 0,
                inUse + random.nextInt(100) / 100.0,
                random.nextInt(10) == 0 ? random.nextInt(30) : 0,
                40);
    }

    Period second(long start) {
        MergedWindow measured = measured();
        return Period.of(second(start, measured), measured);
    }

    /** The second that begins then. */
    static Second second(long start, MergedWindow measured) {
        return Second.of(Instant.ofEpochSecond(start + 1), measured, 2, 7);
    }

    /** Log-normal around a median, as latencies are. */
    private Latency latency(int count, double medianNanos) {
        Histogram histogram = HdrLatency.newSum();
        for (int n = 0; n < count; n++) {
            histogram.recordValue((long) (medianNanos * Math.exp(0.7 * random.nextGaussian())));
        }
        return HdrLatency.of(histogram);
    }

    /** Nine of ten do not wait. */
    private Latency waits(int count) {
        Histogram histogram = HdrLatency.newSum();
        for (int n = 0; n < count; n++) {
            histogram.recordValue(random.nextInt(10) > 0 ? 0 : (long) (2e5 * Math.exp(1.2 * random.nextGaussian())));
        }
        return HdrLatency.of(histogram);
    }
}
