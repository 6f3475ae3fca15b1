package dev.headgate.simulator;

import dev.headgate.engine.governor.Decision;
import dev.headgate.engine.governor.PolicyRunner;
import dev.headgate.engine.governor.PolicySet;
import dev.headgate.engine.meter.HdrLatency;
import dev.headgate.engine.recording.Recording;
import dev.headgate.engine.recording.Recording.Arrival;
import dev.headgate.engine.time.VirtualTime;
import dev.headgate.spi.Latency;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import java.util.function.DoubleConsumer;
import java.util.stream.IntStream;
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
 *   <li><b>Sizes</b> begin at nothing, and an adaptive policy begins to learn: the start of the record, at least
 *       {@value #SETTLING_SECONDS} s, is replayed and not counted, on neither side.
 * </ul>
 *
 * Latency is that of a lease's requests on average, since single ones are not recorded. The same input gives the same
 * answer. Runs on the caller's thread; a minute of some hundred leases per second takes some tenths of a second. An
 * interrupt ends it within a second of its own time.
 *
 * <p>Each window is folded into its second, and each second into figures, as soon as it has passed. The recordings are read where they
 * are: beside them a replay holds which arrivals got a lease, one {@link Second} per domain and second, and what waits or runs at that
 * instant.
 */
public final class Replay {

    /** What is replayed and not counted, at least. */
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
            double actualP95Nanos,
            double p95Nanos,
            double actualP99Nanos,
            double p99Nanos,
            int actualSize,
            int size,
            int ceiling) {}

    /**
     * A replay's outcome.
     *
     * @param from when the replayed stretch began
     * @param settlingSeconds how much of its start is not counted
     * @param load how the server's time was taken to depend on the number of busy leases
     */
    public record Result(Instant from, Duration length, int settlingSeconds, LoadLine load, List<Outcome> domains) {
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
     * @throws CancellationException if the thread is interrupted
     */
    public static Result of(String database, int budget, PolicySet databaseSet, List<Domain> domains, long seed) {
        return of(database, budget, databaseSet, domains, Duration.ofNanos(LONGEST_NANOS), seed, share -> {});
    }

    /**
     * The same, and tells how far it is.
     *
     * @param counted how much of the record's end counts; what comes before is there for the policies to learn
     * @param progress told, on this thread, after each second of the record: which share of the record has passed, from 0 to 1. What it
     *     throws ends the replay: an interrupt does not, where it comes while a policy is asked
     * @throws CancellationException if the thread is interrupted
     */
    public static Result of(
            String database,
            int budget,
            PolicySet databaseSet,
            List<Domain> domains,
            Duration counted,
            long seed,
            DoubleConsumer progress) {
        List<Recording> recordings = domains.stream().map(Domain::recording).toList();
        long length =
                recordings.stream().mapToLong(Recording::lengthNanos).min().orElse(0);
        Instant until = recordings.stream()
                .map(recording -> recording.from().plusNanos(recording.lengthNanos()))
                .max(Instant::compareTo)
                .orElse(VirtualTime.EPOCH);
        Instant from = until.minusNanos(length);
        int settling = (int) Math.max(SETTLING_SECONDS, (length - counted.toNanos()) / SECOND);
        LoadLine load = LoadLine.of(recordings);
        VirtualTime time = new VirtualTime(from);
        Map<String, Outcomes> outcomes = new LinkedHashMap<>();
        SimulatedDatabase simulated =
                new SimulatedDatabase(database, time, () -> budget, PolicyRunner.direct(), new Witness() {
                    @Override
                    public void window(String domain, Run.Row row, Latency responses) {
                        Objects.requireNonNull(outcomes.get(domain)).add(row);
                    }

                    @Override
                    public void decided(Decision decision) {
                        // only what they come to is asked for
                    }
                });
        simulated.governor.swap(databaseSet);
        Busy busy = new Busy();
        SplittableRandom seeds = new SplittableRandom(seed);
        for (Domain domain : domains) {
            Recording recording = domain.recording();
            Outcomes domainsOwn = new Outcomes(recording, length, settling);
            outcomes.put(recording.domain(), domainsOwn);
            // recordings of different reach are aligned at their ends
            long skip = recording.lengthNanos() - length;
            simulated.open(
                    recording.domain(),
                    new Recorded(time, recording.arrivals(), skip, load, busy, domainsOwn, seeds.split()),
                    domain.set());
        }
        for (long second = SECOND; second < length; second += SECOND) {
            time.runUntil(second);
            if (Thread.currentThread().isInterrupted()) {
                throw new CancellationException("the replay was interrupted");
            }
            progress.accept((double) second / length);
        }
        time.runUntil(length);
        List<Outcome> found = new ArrayList<>();
        outcomes.forEach((domain, each) -> {
            found.add(each.end(length));
            simulated.governor.remove(domain);
        });
        simulated.governor.swap(PolicySet.empty());
        time.advance(SECOND); // lets the governor close the sets
        return new Result(from, Duration.ofNanos(length), settling, load, found);
    }

    /** The last recorded size of a second; sizes are aligned at the record's end. */
    private static int sizeAt(Recording recording, int second, int seconds) {
        int index = recording.sizes().size() - 1 - 10 * (seconds - 1 - second);
        return index < 0 ? 0 : recording.sizes().get(index);
    }

    /** How many leases are busy on the server at this instant of the replay, each as far as it is. */
    private static final class Busy {
        private double leases;
    }

    /** What requests for leases came to in some time, really or in the replay. */
    private static final class Sum {

        private long arrivals;
        private long refused;
        private final Histogram waits = HdrLatency.newSum();
        private final Histogram latency = HdrLatency.newSum();

        void add(Sum other) {
            arrivals += other.arrivals;
            refused += other.refused;
            waits.add(other.waits);
            latency.add(other.latency);
        }

        void reset() {
            arrivals = 0;
            refused = 0;
            waits.reset();
            latency.reset();
        }
    }

    /** Connections held, window by window. */
    private static final class Sizes {

        private long sum;
        private int windows;
        private int most;

        void add(int size) {
            sum += size;
            windows++;
            most = Math.max(most, size);
        }

        double mean() {
            return windows == 0 ? 0 : (double) sum / windows;
        }
    }

    /** A second's figures. */
    private record Passed(
            long arrivals,
            long refused,
            long waitP99Nanos,
            double meanNanos,
            long p95Nanos,
            long p99Nanos,
            int size,
            int ceiling) {}

    /** What comes about, second by second: a sum of the second that passes, and figures of those that have. */
    private static final class Track {

        private final int settling;
        private final List<Passed> passed = new ArrayList<>();
        private final Sum settled = new Sum();
        private final Sizes sizes = new Sizes();
        private final Sum second = new Sum();
        private int size;
        private int ceiling;

        Track(int settling) {
            this.settling = settling;
        }

        /** The sum of a second, which is not before any that was asked for. */
        Sum at(long number) {
            while (passed.size() < number) {
                Latency latency = HdrLatency.of(second.latency);
                passed.add(new Passed(
                        second.arrivals,
                        second.refused,
                        HdrLatency.of(second.waits).percentileNanos(99),
                        latency.meanNanos(),
                        latency.percentileNanos(95),
                        latency.percentileNanos(99),
                        size,
                        ceiling));
                if (passed.size() > settling) {
                    settled.add(second);
                }
                second.reset();
            }
            return second;
        }

        Figures figures(long arrivals) {
            return new Figures(
                    arrivals,
                    settled.refused,
                    HdrLatency.of(settled.waits),
                    HdrLatency.of(settled.latency),
                    sizes.mean(),
                    sizes.most);
        }
    }

    /** One domain's outcome while it comes about. */
    private static final class Outcomes {

        private final Recording recording;
        private final Track actual;
        private final Track replayed;

        Outcomes(Recording recording, long lengthNanos, int settling) {
            this.recording = recording;
            this.actual = new Track(settling);
            this.replayed = new Track(settling);
            List<Integer> recorded = recording.sizes(); // the last one at the record's end; a young pool has few
            int counted = (int) (10 * (lengthNanos / SECOND - settling));
            recorded.subList(Math.clamp(recorded.size() - counted, 0, recorded.size()), recorded.size())
                    .forEach(actual.sizes::add);
        }

        /** A recorded request comes in. */
        void arrives(long atNanos, Arrival arrival) {
            Sum sum = actual.at(atNanos / SECOND);
            sum.arrivals++;
            if (arrival.refused()) {
                sum.refused++;
            } else {
                sum.waits.recordValue(Math.min(arrival.waitedNanos(), LONGEST_NANOS));
                sum.latency.recordValueWithCount(
                        Math.min(arrival.busyNanos() / arrival.requests(), LONGEST_NANOS), arrival.requests());
            }
        }

        /** A window of the replay has ended. */
        void add(Run.Row row) {
            long number = (row.endNanos() - 1) / SECOND;
            Sum sum = replayed.at(number);
            sum.refused += row.window().refused();
            HdrLatency.addTo(sum.waits, row.window().waits());
            HdrLatency.addTo(sum.latency, row.window().latency());
            replayed.size = row.window().size();
            replayed.ceiling = row.limits().ceiling();
            if (number >= replayed.settling) {
                replayed.sizes.add(replayed.size);
            }
        }

        /** The whole stretch has passed. */
        Outcome end(long lengthNanos) {
            int seconds = (int) (lengthNanos / SECOND);
            actual.at(seconds + 1L);
            replayed.at(seconds + 1L);
            List<Second> all = new ArrayList<>();
            for (int i = 0; i < seconds; i++) {
                Passed was = actual.passed.get(i);
                Passed came = replayed.passed.get(i);
                all.add(new Second(
                        i,
                        was.arrivals,
                        was.refused,
                        came.refused,
                        was.waitP99Nanos,
                        came.waitP99Nanos,
                        was.meanNanos,
                        came.meanNanos,
                        was.p95Nanos,
                        came.p95Nanos,
                        was.p99Nanos,
                        came.p99Nanos,
                        sizeAt(recording, i, seconds),
                        came.size,
                        came.ceiling));
            }
            long arrivals = actual.settled.arrivals;
            return new Outcome(recording.domain(), actual.figures(arrivals), replayed.figures(arrivals), all);
        }
    }

    /** Recorded arrivals, each with the work of its lease. */
    private static final class Recorded implements Demand {

        private final VirtualTime time;
        private final List<Arrival> arrivals;
        private final long skip;
        private final LoadLine load;
        private final Busy busy;
        private final Outcomes outcomes;
        private final SplittableRandom random;

        /** Which arrivals got a lease. */
        private final int[] served;

        private int next;

        Recorded(
                VirtualTime time,
                List<Arrival> arrivals,
                long skip,
                LoadLine load,
                Busy busy,
                Outcomes outcomes,
                SplittableRandom random) {
            this.time = time;
            this.arrivals = arrivals;
            this.skip = skip;
            this.load = load;
            this.busy = busy;
            this.outcomes = outcomes;
            this.random = random;
            while (next < arrivals.size() && arrivals.get(next).atNanos() < skip) {
                next++;
            }
            this.served = IntStream.range(next, arrivals.size())
                    .filter(each -> !arrivals.get(each).refused())
                    .toArray();
        }

        @Override
        public void begin(Consumer<Task> ask) {
            if (next >= arrivals.size()) {
                return;
            }
            Arrival arrival = arrivals.get(next++);
            long at = arrival.atNanos() - skip;
            time.after(at - time.sinceStartNanos(), () -> {
                outcomes.arrives(at, arrival);
                ask.accept(lease -> work(lease, arrival));
                begin(ask);
            });
        }

        private void work(Lease lease, Arrival arrival) {
            Arrival model = arrival;
            if (arrival.refused()) {
                if (served.length == 0) {
                    lease.giveBack();
                    return;
                }
                model = arrivals.get(served[random.nextInt(served.length)]);
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
