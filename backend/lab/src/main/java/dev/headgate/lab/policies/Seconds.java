package dev.headgate.lab.policies;

import dev.headgate.lab.experiment.Finding;
import dev.headgate.spi.Window;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * A pool second by second. An incomplete second at the end is left out.
 *
 * @param all in the order of time
 */
record Seconds(List<Second> all) {

    private static final long SECOND = 1_000_000_000;

    /** Half of a window: one that ends so little before the second is over is its last. */
    private static final long NEARLY = 50_000_000;

    /** Above the cap by this factor still counts as kept: the bar of every policy that caps latency. */
    private static final double TOLERANCE = 1.1;

    /** Of fewer seconds a single one is more than 5 %: they do not tell whether a cap is kept in 95 % of them. */
    static final int LEAST = 20;

    /**
     * @param meanMs the mean latency of its requests; 0 without one
     * @param requests that ended in it
     * @param leases given a second
     * @param size of the pool at its end
     */
    record Second(double meanMs, long requests, long leases, int size) {}

    /** By their time, not by their number: where the governor was late, a window takes the place of several. */
    static Seconds of(List<Window> windows) {
        List<Second> seconds = new ArrayList<>();
        double sum = 0;
        long requests = 0;
        long leases = 0;
        long nanos = 0;
        for (Window window : windows) {
            sum += window.latency().meanNanos() * window.latency().count();
            requests += window.latency().count();
            leases += window.leases();
            nanos += window.lengthNanos();
            if (nanos >= SECOND - NEARLY) {
                seconds.add(new Second(
                        requests == 0 ? 0 : sum / requests / 1e6,
                        requests,
                        Math.round(leases * 1e9 / nanos),
                        window.size()));
                sum = 0;
                requests = leases = nanos = 0;
            }
        }
        return new Seconds(List.copyOf(seconds));
    }

    /** All of these, one after another. */
    static Seconds together(List<Seconds> parts) {
        return new Seconds(parts.stream().flatMap(each -> each.all().stream()).toList());
    }

    /**
     * Pools that were measured at the same time: of each second the mean of the slowest, and what all did. So a cap is kept in a second
     * only if each keeps it. As long as the shortest.
     *
     * @param pools at least one
     */
    static Seconds atOnce(List<Seconds> pools) {
        int length = pools.stream().mapToInt(each -> each.all().size()).min().orElse(0);
        return new Seconds(IntStream.range(0, length)
                .mapToObj(at -> pools.stream()
                        .map(each -> each.all().get(at))
                        .reduce((one, other) -> new Second(
                                Math.max(one.meanMs(), other.meanMs()),
                                one.requests() + other.requests(),
                                one.leases() + other.leases(),
                                one.size() + other.size()))
                        .orElseThrow())
                .toList());
    }

    /** A finding that rests on 95 % of these seconds; undecided if they are too few. */
    Finding finding(String claim, boolean holds, String here) {
        long judged = busy().count();
        return judged >= LEAST
                ? Finding.of(claim, holds, here)
                : new Finding(
                        claim,
                        Finding.Verdict.UNDECIDED,
                        here + " These are %d seconds; fewer than %d do not tell.".formatted(judged, LEAST));
    }

    /** Of all requests, in milliseconds; 0 without one. */
    double meanMs() {
        long requests = all.stream().mapToLong(Second::requests).sum();
        return requests == 0
                ? 0
                : all.stream()
                                .mapToDouble(each -> each.meanMs() * each.requests())
                                .sum()
                        / requests;
    }

    double leasesPerSecond() {
        return all.stream().mapToLong(Second::leases).average().orElse(0);
    }

    double meanSize() {
        return all.stream().mapToInt(Second::size).average().orElse(0);
    }

    /** The share of seconds with requests whose mean was within {@value #TOLERANCE} of a cap; 1 without such a second. */
    double within(double capMs) {
        return busy().map(mean -> mean <= TOLERANCE * capMs ? 1 : 0).average().orElse(1);
    }

    /** Whether the mean of all requests was within {@value #TOLERANCE} of a cap. */
    boolean keeps(double capMs) {
        return meanMs() <= TOLERANCE * capMs;
    }

    /** The mean latencies of the seconds with requests. */
    List<Double> meansMs() {
        return busy().boxed().toList();
    }

    List<Double> leases() {
        return all.stream().map(each -> (double) each.leases()).toList();
    }

    /** Without the first ones, in which policies settle. */
    Seconds after(int settling) {
        return new Seconds(all.subList(Math.min(settling, all.size()), all.size()));
    }

    private DoubleStream busy() {
        return all.stream().filter(each -> each.requests() > 0).mapToDouble(Second::meanMs);
    }
}
