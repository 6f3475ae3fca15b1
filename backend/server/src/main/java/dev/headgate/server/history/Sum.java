package dev.headgate.server.history;

import dev.headgate.engine.meter.HdrLatency;
import dev.headgate.engine.meter.MergedWindow;
import dev.headgate.server.api.Millis;
import dev.headgate.server.api.Second;
import dev.headgate.spi.Latency;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.HdrHistogram.Histogram;

/** Rolls periods up, as {@link Period} says. Can be used again after {@link #clear}. For one thread. */
final class Sum {

    /** A distribution to which others are added in place. */
    private static final class Counts {
        private final long[] counts = new long[Buckets.COUNT];
        private int end;

        void add(Distribution more) {
            int size = more.size();
            for (int place = 0; place < size; place++) {
                counts[more.bucket(place)] += more.count(place);
            }
            if (size > 0) {
                end = Math.max(end, more.bucket(size - 1) + 1);
            }
        }

        Distribution toDistribution() {
            int size = 0;
            for (int bucket = 0; bucket < end; bucket++) {
                size += counts[bucket] > 0 ? 1 : 0;
            }
            if (size == 0) {
                return Distribution.NONE;
            }
            int[] buckets = new int[size];
            long[] each = new long[size];
            int place = 0;
            for (int bucket = 0; bucket < end; bucket++) {
                if (counts[bucket] > 0) {
                    buckets[place] = bucket;
                    each[place++] = counts[bucket];
                }
            }
            return new Distribution(buckets, each);
        }

        Latency toLatency() {
            if (end == 0) {
                return HdrLatency.none();
            }
            Histogram histogram = HdrLatency.newSumUpTo(Buckets.shortestNanos(end - 1));
            for (int bucket = 0; bucket < end; bucket++) {
                if (counts[bucket] > 0) {
                    histogram.recordValueWithCount(Buckets.shortestNanos(bucket), counts[bucket]);
                }
            }
            return HdrLatency.of(histogram);
        }

        void clear() {
            Arrays.fill(counts, 0, end, 0);
            end = 0;
        }
    }

    private final Counts latency = new Counts();
    private final Counts waits = new Counts();
    private boolean empty = true;
    private long lastStart;
    private long micros;
    private long inUseMillis;
    private int size;
    private int floor;
    private int ceiling;
    private int mostWaiting;
    private long arrivals;
    private long leases;
    private long refused;
    private long errors;

    /** Rolls up consecutive periods of a finer resolution. */
    static List<Period> roll(List<Period> finer, Resolution resolution) {
        List<Period> rolled = new ArrayList<>();
        Sum sum = new Sum();
        long start = 0;
        for (Period period : finer) {
            long its = resolution.periodStart(period.start());
            if (!sum.isEmpty() && its != start) {
                rolled.add(sum.toPeriod(start));
                sum.clear();
            }
            start = its;
            sum.add(period);
        }
        if (!sum.isEmpty()) {
            rolled.add(sum.toPeriod(start));
        }
        return rolled;
    }

    void add(Period period) {
        if (empty || period.start() >= lastStart) {
            lastStart = period.start();
            size = period.size();
            floor = period.floor();
            ceiling = period.ceiling();
        }
        empty = false;
        micros += period.micros();
        inUseMillis += period.inUseMillis();
        mostWaiting = Math.max(mostWaiting, period.mostWaiting());
        arrivals += period.arrivals();
        leases += period.leases();
        refused += period.refused();
        errors += period.errors();
        latency.add(period.latency());
        waits.add(period.waits());
    }

    boolean isEmpty() {
        return empty;
    }

    Period toPeriod(long start) {
        return new Period(
                start,
                micros,
                inUseMillis,
                size,
                floor,
                ceiling,
                mostWaiting,
                arrivals,
                leases,
                refused,
                errors,
                latency.toDistribution(),
                waits.toDistribution());
    }

    MergedWindow toMeasured() {
        return new MergedWindow(
                micros * 1_000,
                latency.toLatency(),
                waits.toLatency(),
                arrivals,
                leases,
                refused,
                errors,
                micros == 0 ? 0 : Millis.rate((double) inUseMillis * 1e3 / (double) micros),
                mostWaiting,
                size);
    }

    /** All that was added, as a row that ends then. */
    Second toSecond(Instant end) {
        return Second.of(end, toMeasured(), floor, ceiling);
    }

    void clear() {
        latency.clear();
        waits.clear();
        empty = true;
        micros = 0;
        inUseMillis = 0;
        mostWaiting = 0;
        arrivals = 0;
        leases = 0;
        refused = 0;
        errors = 0;
    }
}
