package dev.headgate.lab.scaleup;

import dev.headgate.lab.load.LoadNotes;
import dev.headgate.lab.load.LoadResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

/** What {@link ScaleUp} has measured. Filled by its thread. */
final class Measurements {

    /**
     * A load at a fixed rate.
     *
     * @param distributed whether some bookings touched two databases
     */
    record Offered(int databases, boolean distributed) {}

    /** A load as fast as its users can, in one of two ways of doing something. */
    enum Way {
        ALL_LOCAL("no booking is distributed"),
        SOME_DISTRIBUTED("some bookings are distributed"),
        NO_DELAY("TCP_NODELAY on"),
        DELAY("TCP_NODELAY off"),
        SINGLE("single dequeue"),
        GROUP("group dequeue");

        private final String text;

        Way(String text) {
            this.text = text;
        }

        String text() {
            return text;
        }
    }

    /**
     * One round of a load.
     *
     * @param perSecond bookings committed in the measured time, whenever they were due
     * @param local bookings at one database, in nanoseconds from their start
     * @param across bookings at two databases, likewise
     */
    record Round(LoadResult load, double perSecond, Histogram local, Histogram across) {

        /** What was committed in the measured time by what was due in it; chance makes the latter differ from round to round. */
        double keptUp() {
            long due = load.done() + load.failed();
            return due == 0 ? 0 : perSecond * load.seconds() / due;
        }
    }

    /**
     * Throughput every 100 ms.
     *
     * @param completions of each database in each window
     * @param found the convoys of the completions
     * @param generators the convoys of the bookings' starts: there the load itself stood still
     */
    record Watched(List<int[]> completions, List<Convoys.Convoy> found, List<Convoys.Convoy> generators) {

        static Watched of(List<int[]> started, List<int[]> completions) {
            return new Watched(completions, Convoys.in(completions), Convoys.in(started));
        }

        /** The convoys that are not explained by the load. */
        List<Convoys.Convoy> convoys() {
            return found.stream()
                    .filter(each -> generators.stream().noneMatch(load -> load.overlaps(each.from(), each.to())))
                    .toList();
        }
    }

    /**
     * A standstill that was made on purpose, in windows since the begin of what was watched.
     *
     * @param from may be within a window
     */
    record Injected(List<Integer> databases, double from, double to) {

        boolean isFoundIn(List<Convoys.Convoy> convoys) {
            return convoys.stream().anyMatch(this::isFoundAs);
        }

        boolean isFoundAs(Convoys.Convoy convoy) {
            return convoy.overlaps(from, to);
        }
    }

    /**
     * What coordinators left that were killed, and what became of it.
     *
     * @param killed transactions
     * @param inDoubt prepared parts before the recovery
     * @param leftover prepared parts after it, of killed coordinators and of living ones
     * @param kill of whole processes
     */
    record Crash(int killed, int inDoubt, Recovery recovery, double recoveryMs, int leftover, Kill kill) {}

    /**
     * What processes left that were killed in the middle of their bookings.
     *
     * @param processes one after another
     * @param recovery all that was resolved
     * @param resolvedMs from a kill until the process's sessions had ended and nothing of it was prepared any more; the longest
     * @param leftover prepared parts at the end
     */
    record Kill(int processes, Recovery recovery, double resolvedMs, int leftover) {

        /** This one and a later one. */
        Kill and(Kill other) {
            return new Kill(
                    processes + other.processes,
                    recovery.and(other.recovery),
                    Math.max(resolvedMs, other.resolvedMs),
                    leftover + other.leftover);
        }
    }

    final Map<Offered, List<Round>> offered = new LinkedHashMap<>();
    final Map<Way, List<Round>> ways = new LinkedHashMap<>();
    final List<Double> groups = new ArrayList<>();
    final List<Injected> injected = new ArrayList<>();
    final List<Watched> quiet = new ArrayList<>();
    final List<String> notes = new ArrayList<>();
    final LoadNotes loads = new LoadNotes();

    void add(Offered configuration, Round round) {
        offered.computeIfAbsent(configuration, key -> new ArrayList<>()).add(round);
    }

    void add(Way way, Round round) {
        ways.computeIfAbsent(way, key -> new ArrayList<>()).add(round);
    }

    /** Empty if there was no such load. */
    List<Round> rounds(Offered configuration) {
        return offered.getOrDefault(configuration, List.of());
    }

    /** Empty if it was not measured. */
    List<Round> rounds(Way way) {
        return ways.getOrDefault(way, List.of());
    }

    static List<Double> throughput(List<Round> rounds) {
        return rounds.stream().map(Round::perSecond).toList();
    }

    static List<Double> samples(List<Round> rounds, ToDoubleFunction<LoadResult> figure) {
        return rounds.stream().map(each -> figure.applyAsDouble(each.load())).toList();
    }

    /** The latencies of all rounds, in nanoseconds from the schedule. */
    static Histogram latency(List<Round> rounds) {
        Histogram sum = new Histogram(3);
        rounds.forEach(each -> sum.add(each.load().latency()));
        return sum;
    }

    /** Mean of a part of the bookings in milliseconds; 0 without one. */
    static double meanMs(List<Round> rounds, java.util.function.Function<Round, Histogram> part) {
        Histogram sum = new Histogram(3);
        rounds.forEach(each -> sum.add(part.apply(each)));
        return sum.getTotalCount() == 0 ? 0 : sum.getMean() / 1e6;
    }

    /**
     * Efficiency of each round: throughput by (n/2 times the throughput on 2 databases), each as a share of what was offered; empty
     * without 2 databases.
     */
    List<Double> efficiency(int databases) {
        List<Round> two = rounds(new Offered(2, true));
        List<Round> many = rounds(new Offered(databases, true));
        List<Double> efficiency = new ArrayList<>();
        for (int i = 0; i < Math.min(two.size(), many.size()); i++) {
            if (two.get(i).keptUp() > 0) {
                efficiency.add(many.get(i).keptUp() / two.get(i).keptUp());
            }
        }
        return efficiency;
    }
}
