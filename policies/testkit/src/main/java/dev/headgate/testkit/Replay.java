package dev.headgate.testkit;

import dev.headgate.engine.governor.PolicySet;
import dev.headgate.engine.meter.HdrLatency;
import dev.headgate.engine.recording.Recording;
import dev.headgate.engine.recording.Recording.Arrival;
import dev.headgate.engine.time.VirtualTime;
import dev.headgate.spi.Latency;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;

/**
 * What would have happened if other policies had been in force: recorded arrivals of all domains of a database, put to the
 * engine's own gates, governor and allocator in virtual time.
 *
 * <h2>What is taken from the record, and what is not</h2>
 *
 * <ul>
 *   <li><b>Arrivals</b> are the recorded ones, to the microsecond: the load was open, it did not depend on the answers.
 *   <li><b>What a lease does</b> is recorded too: so many requests, so much time on the server, so much of the
 *       application's own between them. The application's time stays as it was. The server's time is scaled by how many
 *       leases are busy at once in the replay and were in the record, as far as the {@linkplain LoadLine record itself
 *       shows} that this matters.
 *   <li><b>A request that was refused</b> has no recorded work; it is given that of another of its domain, drawn by a
 *       seed.
 *   <li><b>Sizes</b> begin at nothing, and an adaptive policy begins to learn: the first {@value #SETTLING_SECONDS} s are
 *       replayed and not counted, on neither side.
 * </ul>
 *
 * Latency is that of a lease's requests on average, since single ones are not recorded. The same input gives the same
 * answer. Runs on the caller's thread; a minute of some hundred leases per second takes some tenths of a second.
 */
public final class Replay {

    /** What is replayed and not counted. */
    public static final int SETTLING_SECONDS = 2;

    private static final long SECOND = 1_000_000_000L;
    private static final long LONGEST_NANOS = 3_600_000_000_000L;

    private Replay() {}

    /** One domain's past, and the policies it is replayed under. The set is closed afterwards. */
    public record Domain(Recording recording, PolicySet set) {}

    /**
     * One domain's outcome.
     *
     * @param seconds one entry per whole second of the record, those of settling included
     */
    public record Outcome(String domain, Figures actual, Figures replayed, List<Second> seconds) {
        public Outcome {
            seconds = List.copyOf(seconds);
        }
    }

    /**
     * What happened to requests for leases, really or in the replay.
     *
     * @param waits of those that got a lease; 0 for those that did not wait
     * @param latency of the server's requests, each lease's mean
     * @param meanSize connections, averaged over time
     */
    public record Figures(long arrivals, long refused, Latency waits, Latency latency, double meanSize, int mostSize) {}

    /** One second, the record's {@code actual} beside the replay's. */
    public record Second(
            int second,
            long arrivals,
            long actualRefused,
            long refused,
            double actualWaitP99Nanos,
            double waitP99Nanos,
            double actualMeanNanos,
            double meanNanos,
            int actualSize,
            int size,
            int ceiling) {}

    /**
     * A replay's outcome.
     *
     * @param from when the replayed stretch began
     * @param load how the server's time was taken to depend on the number of busy leases
     */
    public record Result(Instant from, Duration length, LoadLine load, List<Outcome> domains) {
        public Result {
            domains = List.copyOf(domains);
        }
    }

    /**
     * Replays.
     *
     * @param budget of the database
     * @param databaseSet for the sum of all domains
     * @param domains all of the database, each with a recording of the same stretch
     */
    public static Result of(String database, int budget, PolicySet databaseSet, List<Domain> domains, long seed) {
        List<Recording> recordings = domains.stream().map(Domain::recording).toList();
        long length =
                recordings.stream().mapToLong(Recording::lengthNanos).min().orElse(0);
        Instant until = recordings.stream()
                .map(recording -> recording.from().plusNanos(recording.lengthNanos()))
                .max(Instant::compareTo)
                .orElse(VirtualTime.EPOCH);
        Instant from = until.minusNanos(length);
        LoadLine load = LoadLine.of(recordings);
        VirtualTime time = new VirtualTime(from);
        SimulatedDatabase simulated = new SimulatedDatabase(database, time, budget);
        simulated.governor.swap(databaseSet);
        Busy busy = new Busy();
        SplittableRandom seeds = new SplittableRandom(seed);
        List<Tally> tallies = new ArrayList<>();
        for (Domain domain : domains) {
            Recording recording = domain.recording();
            Tally tally = new Tally(length);
            tallies.add(tally);
            // recordings of different reach are aligned at their ends
            long skip = recording.lengthNanos() - length;
            List<Arrival> arrivals = recording.arrivals().stream()
                    .filter(arrival -> arrival.atNanos() >= skip)
                    .toList();
            simulated.open(
                    recording.domain(),
                    new Recorded(time, arrivals, skip, load, busy, tally, seeds.split()),
                    domain.set());
        }
        time.runUntil(length);
        List<Outcome> outcomes = new ArrayList<>();
        for (int i = 0; i < domains.size(); i++) {
            String name = domains.get(i).recording().domain();
            outcomes.add(outcome(domains.get(i).recording(), length, tallies.get(i), simulated.run(name)));
            simulated.governor.remove(name);
        }
        simulated.governor.swap(PolicySet.empty());
        time.advance(SECOND); // lets the governor close the sets
        return new Result(from, Duration.ofNanos(length), load, outcomes);
    }

    private static Outcome outcome(Recording recording, long length, Tally tally, Run run) {
        int seconds = (int) (length / SECOND);
        List<Second> all = new ArrayList<>();
        for (int i = 0; i < seconds; i++) {
            Duration begin = Duration.ofSeconds(i);
            Duration end = Duration.ofSeconds(i + 1L);
            List<Run.Row> rows = run.rows(begin, end);
            Run.Row last = rows.isEmpty() ? null : rows.getLast();
            Tally.Slice slice = tally.slices[i];
            all.add(new Second(
                    i,
                    slice.arrivals,
                    slice.refused,
                    run.refused(begin, end),
                    HdrLatency.of(slice.waits).percentileNanos(99),
                    run.waits(begin, end).percentileNanos(99),
                    HdrLatency.of(slice.latency).meanNanos(),
                    run.latency(begin, end).meanNanos(),
                    sizeAt(recording, i, seconds),
                    last == null ? 0 : last.window().size(),
                    last == null ? 0 : last.limits().ceiling()));
        }
        List<Integer> recorded = recording.sizes();
        List<Integer> sizes = recorded.subList(Math.min(recorded.size(), SETTLING_SECONDS * 10), recorded.size());
        Duration settled = Duration.ofSeconds(Math.min(SETTLING_SECONDS, seconds));
        Duration end = Duration.ofNanos(length);
        List<Run.Row> rows = run.rows(settled, end);
        Figures actual = tally.sum((int) settled.toSeconds(), sizes);
        List<Integer> replayedSizes =
                rows.stream().map(row -> row.window().size()).toList();
        Figures replayed = new Figures(
                actual.arrivals(),
                run.refused(settled, end),
                run.waits(settled, end),
                run.latency(settled, end),
                mean(replayedSizes),
                most(replayedSizes));
        return new Outcome(recording.domain(), actual, replayed, all);
    }

    /** The last recorded size of a second; sizes are aligned at the record's end. */
    private static int sizeAt(Recording recording, int second, int seconds) {
        int index = recording.sizes().size() - 1 - 10 * (seconds - 1 - second);
        return index < 0 ? 0 : recording.sizes().get(index);
    }

    private static double mean(List<Integer> sizes) {
        return sizes.stream().mapToInt(Integer::intValue).average().orElse(0);
    }

    private static int most(List<Integer> sizes) {
        return sizes.stream().mapToInt(Integer::intValue).max().orElse(0);
    }

    /** How many leases are busy on the server at this instant of the replay, each as far as it is. */
    private static final class Busy {
        private double leases;
    }

    /** What really happened, second by second of arrival. */
    private static final class Tally {

        private static final class Slice {
            long arrivals;
            long refused;
            final Histogram waits = HdrLatency.newHistogram();
            final Histogram latency = HdrLatency.newHistogram();
        }

        final Slice[] slices;

        Tally(long lengthNanos) {
            slices = new Slice[(int) (lengthNanos / SECOND) + 1];
            for (int i = 0; i < slices.length; i++) {
                slices[i] = new Slice();
            }
        }

        void add(long atNanos, Arrival arrival) {
            Slice slice = slices[Math.clamp(atNanos / SECOND, 0, slices.length - 1)];
            slice.arrivals++;
            if (arrival.refused()) {
                slice.refused++;
            } else {
                slice.waits.recordValue(Math.min(arrival.waitedNanos(), LONGEST_NANOS));
                slice.latency.recordValueWithCount(
                        Math.min(arrival.busyNanos() / arrival.requests(), LONGEST_NANOS), arrival.requests());
            }
        }

        Figures sum(int fromSecond, List<Integer> sizes) {
            long arrivals = 0;
            long refused = 0;
            Histogram waits = HdrLatency.newHistogram();
            Histogram latency = HdrLatency.newHistogram();
            for (int i = fromSecond; i < slices.length; i++) {
                arrivals += slices[i].arrivals;
                refused += slices[i].refused;
                waits.add(slices[i].waits);
                latency.add(slices[i].latency);
            }
            return new Figures(
                    arrivals, refused, HdrLatency.of(waits), HdrLatency.of(latency), mean(sizes), most(sizes));
        }
    }

    /** Recorded arrivals, each with the work of its lease. */
    private static final class Recorded implements Demand {

        private final VirtualTime time;
        private final List<Arrival> arrivals;
        private final long skip;
        private final LoadLine load;
        private final Busy busy;
        private final Tally tally;
        private final SplittableRandom random;
        private final List<Arrival> served;
        private int next;

        Recorded(
                VirtualTime time,
                List<Arrival> arrivals,
                long skip,
                LoadLine load,
                Busy busy,
                Tally tally,
                SplittableRandom random) {
            this.time = time;
            this.arrivals = arrivals;
            this.skip = skip;
            this.load = load;
            this.busy = busy;
            this.tally = tally;
            this.random = random;
            this.served =
                    arrivals.stream().filter(arrival -> !arrival.refused()).toList();
        }

        @Override
        public void begin(Consumer<Task> ask) {
            if (next >= arrivals.size()) {
                return;
            }
            Arrival arrival = arrivals.get(next++);
            long at = arrival.atNanos() - skip;
            tally.add(at, arrival);
            time.after(at - time.sinceStartNanos(), () -> {
                ask.accept(lease -> work(lease, arrival));
                begin(ask);
            });
        }

        private void work(Lease lease, Arrival arrival) {
            Arrival model = arrival;
            if (arrival.refused()) {
                if (served.isEmpty()) {
                    lease.giveBack();
                    return;
                }
                model = served.get(random.nextInt(served.size()));
            }
            double share =
                    model.holdNanos() <= 0 ? 1 : Math.clamp((double) model.busyNanos() / model.holdNanos(), 0, 1);
            busy.leases += share;
            double factor = load.factor(load.busyAt(model.atNanos()), busy.leases);
            long each = Math.max(1, Math.round(model.busyNanos() * factor / model.requests()));
            long pause = model.requests() > 1
                    ? Math.max(0, model.holdNanos() - model.busyNanos()) / (model.requests() - 1)
                    : 0;
            request(lease, model.requests(), each, pause, share);
        }

        private void request(Lease lease, int left, long nanos, long pause, double share) {
            lease.request(nanos, false, () -> {
                if (left > 1) {
                    time.after(pause, () -> request(lease, left - 1, nanos, pause, share));
                } else {
                    busy.leases -= share;
                    lease.giveBack();
                }
            });
        }
    }
}
