package dev.headgate.server.history;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongUnaryOperator;
import java.util.function.ToLongFunction;

/**
 * Up to {@value #ROWS} consecutive periods of one domain, encoded: a row of the store. Immutable.
 *
 * <p>The body is a byte for the version, and deflated numbers ({@link Columnar}): how many periods, their places in the chunk, each
 * figure of all periods as the difference from the period before, and the two distributions. A distribution is stored as the number
 * of its buckets, the distance of each bucket from the one before, and the counts; first all numbers of buckets, then all
 * distances, then all counts, because like beside like deflates best.
 */
final class Chunk {

    static final int ROWS = 60;

    private static final byte VERSION = 1;

    /** More than any chunk inflates to: every bucket of both distributions of every period, at up to 12 bytes. */
    private static final int MOST_BYTES = 2 * ROWS * Buckets.COUNT * 12 + ROWS * 200;

    private static final List<ToLongFunction<Period>> FIGURES = List.of(
            Period::micros,
            Period::inUseMillis,
            Period::size,
            Period::floor,
            Period::ceiling,
            Period::mostWaiting,
            Period::arrivals,
            Period::leases,
            Period::refused,
            Period::errors);

    private final Resolution resolution;
    private final long start;
    private final byte[] body;

    /**
     * A stored chunk. Takes ownership of the bytes.
     *
     * @param start in seconds since the epoch
     */
    Chunk(Resolution resolution, long start, byte[] body) {
        this.resolution = resolution;
        this.start = start;
        this.body = body;
    }

    /** @param periods of this chunk, in order, each at most once */
    static Chunk of(Resolution resolution, long start, List<Period> periods) {
        Columnar.Writer out = new Columnar.Writer();
        out.put(periods.size());
        for (Period period : periods) {
            long place = (period.start() - start) / resolution.seconds();
            if (place < 0 || place >= ROWS) {
                throw new IllegalArgumentException("second " + period.start() + " is not in the chunk from " + start);
            }
            out.put(place);
        }
        for (ToLongFunction<Period> figure : FIGURES) {
            long before = 0;
            for (Period period : periods) {
                long value = figure.applyAsLong(period);
                out.putSigned(value - before);
                before = value;
            }
        }
        put(out, periods.stream().map(Period::latency).toList());
        put(out, periods.stream().map(Period::waits).toList());
        return new Chunk(resolution, start, out.deflated(VERSION));
    }

    private static void put(Columnar.Writer out, List<Distribution> distributions) {
        distributions.forEach(each -> out.put(each.size()));
        for (Distribution each : distributions) {
            int before = -1;
            for (int place = 0; place < each.size(); place++) {
                out.put(each.bucket(place) - before - 1);
                before = each.bucket(place);
            }
        }
        for (Distribution each : distributions) {
            for (int place = 0; place < each.size(); place++) {
                out.put(each.count(place) - 1);
            }
        }
    }

    Resolution resolution() {
        return resolution;
    }

    /** In seconds since the epoch. */
    long start() {
        return start;
    }

    /** In seconds since the epoch. */
    long end() {
        return start + resolution.chunkSeconds();
    }

    byte[] body() {
        return body;
    }

    /**
     * Decodes it.
     *
     * @throws IllegalArgumentException if the body is damaged, or of a newer Headgate
     */
    List<Period> periods() {
        if (body.length == 0 || body[0] != VERSION) {
            throw new IllegalArgumentException("a chunk of an unknown version");
        }
        Columnar.Reader in = new Columnar.Reader(body, MOST_BYTES);
        int count = in.nextBelow(ROWS + 1);
        long[] starts = filled(count, place -> start + (long) in.nextBelow(ROWS) * resolution.seconds());
        long[][] figures = new long[FIGURES.size()][];
        for (int figure = 0; figure < figures.length; figure++) {
            long[] before = {0};
            figures[figure] = filled(count, place -> before[0] += in.nextSigned());
        }
        List<Distribution> latencies = distributions(in, count);
        List<Distribution> waits = distributions(in, count);
        if (!in.isAtEnd()) {
            throw new IllegalArgumentException("more than a chunk");
        }
        List<Period> periods = new ArrayList<>(count);
        for (int row = 0; row < count; row++) {
            periods.add(new Period(
                    starts[row],
                    figures[0][row],
                    figures[1][row],
                    (int) figures[2][row],
                    (int) figures[3][row],
                    (int) figures[4][row],
                    (int) figures[5][row],
                    figures[6][row],
                    figures[7][row],
                    figures[8][row],
                    figures[9][row],
                    latencies.get(row),
                    waits.get(row)));
        }
        return periods;
    }

    private static List<Distribution> distributions(Columnar.Reader in, int count) {
        int[][] buckets = new int[count][];
        for (int row = 0; row < count; row++) {
            buckets[row] = new int[in.nextBelow(Buckets.COUNT + 1)];
        }
        for (int[] each : buckets) {
            int bucket = -1;
            for (int place = 0; place < each.length; place++) {
                bucket += 1 + in.nextBelow(Buckets.COUNT - bucket - 1);
                each[place] = bucket;
            }
        }
        List<Distribution> distributions = new ArrayList<>(count);
        for (int[] each : buckets) {
            distributions.add(
                    each.length == 0
                            ? Distribution.NONE
                            : new Distribution(each, filled(each.length, place -> in.next() + 1)));
        }
        return distributions;
    }

    private static long[] filled(int length, LongUnaryOperator value) {
        long[] values = new long[length];
        for (int place = 0; place < length; place++) {
            values[place] = value.applyAsLong(place);
        }
        return values;
    }

    @Override
    public String toString() {
        return resolution + " from " + start + " in " + body.length + " bytes";
    }
}
