package dev.headgate.simulator;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Leases as they came on a real system: when each began and how heavy its request was, in multiples of the mean. Replayed over
 * and over; the time between arrivals can be stretched, so that a trace fits a server of any size.
 *
 * @param arrivals in order of time
 * @param length of the record; the next round begins after it
 */
public record Trace(List<Arrival> arrivals, Duration length) {

    /** One lease. */
    public record Arrival(long atNanos, double heaviness) {}

    public Trace {
        arrivals = List.copyOf(arrivals);
        if (arrivals.isEmpty() || arrivals.getLast().atNanos() > length.toNanos()) {
            throw new IllegalArgumentException("at least 1 arrival, none after the end");
        }
    }

    /**
     * Reads lines of two figures: microseconds since the last arrival, and microseconds that the request took on the server.
     * Lines that begin with # are comments.
     */
    public static Trace read(BufferedReader lines) {
        List<long[]> all = new ArrayList<>();
        try {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!line.startsWith("#") && !line.isBlank()) {
                    String[] parts = line.strip().split(" ", 2);
                    all.add(new long[] {Long.parseLong(parts[0]), Long.parseLong(parts[1])});
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        double mean = all.stream().mapToLong(each -> each[1]).average().orElse(1);
        List<Arrival> arrivals = new ArrayList<>();
        long at = 0;
        for (long[] each : all) {
            at += 1_000 * each[0];
            arrivals.add(new Arrival(at, Math.max(1, each[1]) / mean));
        }
        return new Trace(arrivals, Duration.ofNanos(at));
    }

    /** Arrivals per second. */
    public double perSecond() {
        return arrivals.size() * 1e9 / length.toNanos();
    }

    /** The same leases at another rate: time is stretched or compressed. */
    public Trace atRate(double perSecond) {
        double stretch = perSecond() / perSecond;
        return new Trace(
                arrivals.stream()
                        .map(each -> new Arrival((long) (each.atNanos * stretch), each.heaviness))
                        .toList(),
                Duration.ofNanos((long) (length.toNanos() * stretch) + 1));
    }
}
