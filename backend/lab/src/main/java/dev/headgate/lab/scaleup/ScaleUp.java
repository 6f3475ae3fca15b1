package dev.headgate.lab.scaleup;

import static dev.headgate.lab.report.Numbers.counted;

import dev.headgate.engine.Database;
import dev.headgate.engine.Engine;
import dev.headgate.engine.EngineListener;
import dev.headgate.engine.Lease;
import dev.headgate.engine.LeaseRequest;
import dev.headgate.engine.Pool;
import dev.headgate.engine.connect.Target;
import dev.headgate.lab.experiment.Experiment;
import dev.headgate.lab.experiment.Parameter;
import dev.headgate.lab.experiment.Report;
import dev.headgate.lab.experiment.Run;
import dev.headgate.lab.load.Action;
import dev.headgate.lab.load.ClosedLoop;
import dev.headgate.lab.load.LoadResult;
import dev.headgate.lab.load.OpenLoop;
import dev.headgate.lab.pools.FixedPool;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/** What it costs to split a bank over several databases, and how well their common standstills are found. */
public final class ScaleUp implements Experiment {

    private static final int[] SIZES = {1, 2, 4, 8};
    private static final Duration OFFERED_WARM_UP = Duration.ofMillis(400);
    private static final Duration CLOSED_WARM_UP = Duration.ofMillis(200);

    /** Of the first loads, which compile the code. */
    private static final Duration FIRST = Duration.ofMillis(1_500);

    private static final int USERS_PER_DATABASE = 2;

    /** Queueing for one server takes more users than connections. */
    private static final int USERS_PER_DISPATCHER = 6;

    private static final int INJECTED = 3;
    private static final Duration STANDSTILL = Duration.ofMillis(300);
    private static final int KILLED_AT_EACH_STEP = 4;
    private static final int MOST_PROCESSES = 5;
    private static final String DOOMED = "doomed";
    private static final long MOST_RECOVERY_NANOS = 20_000_000_000L;

    @Override
    public String name() {
        return "scale-up";
    }

    @Override
    public String question() {
        return "What does it cost to split a bank over 1, 2, 4 and 8 databases when 15 % of its transactions touch two of them, and are common standstills found?";
    }

    @Override
    public String source() {
        return "M.-A. Neimat and D. Schneider, HP Labs: Achieving transaction scaleup on Unix";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                Parameter.count("databases", "The largest number of databases, up to 8.", "", 8, 8, 2, 8),
                Parameter.fraction("ratePerDatabase", "Bookings offered to each database.", "1/s", 50, 50, 1, 5_000),
                Parameter.fraction(
                        "distributedPercent", "Bookings whose account is at another database.", "%", 15, 15, 0, 100),
                Parameter.count("connections", "Connections to each database.", "", 8, 8, 3, 40),
                Parameter.count("rounds", "How often everything is measured.", "", 6, 6, 1, 50),
                Parameter.count("roundMs", "How long each measurement takes.", "ms", 700, 6_500, 100, 120_000),
                Parameter.count(
                        "watchedMs",
                        "How long the run with injected convoys takes.",
                        "ms",
                        5_000,
                        30_000,
                        1_500,
                        600_000),
                Parameter.count("quietRuns", "Runs without a convoy.", "", 10, 10, 1, 1_000),
                Parameter.count("quietMs", "How long each of them takes.", "ms", 1_200, 6_000, 200, 600_000));
    }

    @Override
    public Report run(Run run) throws Exception {
        run.at(0, "setting up the databases");
        try (Engine engine = Engine.start("lab", EngineListener.NONE, run.supervisor())) {
            int databases = run.count("databases");
            int connections = run.count("connections");
            List<Pool> pools = new ArrayList<>();
            List<Pool> reserved = new ArrayList<>();
            for (int i = 0; i < databases; i++) {
                String name = "lab-scale-up-" + (i + 1);
                Database database = engine.open(run.laboratory().database(name, connections + 1));
                pools.add(FixedPool.open(database, name, connections));
                reserved.add(FixedPool.open(database, name + "-reserved", 1));
                SplitBank.setUp(pools.getLast());
            }
            return new Measuring(run, pools, reserved, connections).report();
        }
    }

    /** One run, with the databases open. */
    private static final class Measuring {

        private final Run run;
        private final List<Pool> pools;
        private final int connections;
        private final SplitBank bank;
        /** The same bank, by a connection of their own for whoever makes bookings wait, and for the recovery. */
        private final SplitBank reserved;

        private final double rate;
        private final double share;
        private final int rounds;
        private final Duration length;
        private final SplittableRandom seeds;
        private final Coordinator coordinator;
        private final Measurements measured = new Measurements();

        Measuring(Run run, List<Pool> pools, List<Pool> reserved, int connections) {
            this.run = run;
            this.pools = pools;
            this.connections = connections;
            this.bank = new SplitBank(pools);
            this.reserved = new SplitBank(reserved);
            this.rate = run.value("ratePerDatabase");
            this.share = run.value("distributedPercent") / 100;
            this.rounds = run.count("rounds");
            this.length = Duration.ofMillis(run.count("roundMs"));
            this.seeds = new SplittableRandom(run.seed());
            this.coordinator = new Coordinator("living", bank, step -> {});
        }

        Report report() throws Exception {
            try {
                run.at(0.04, "warming up");
                round(bank, share, FIRST);
                offered();
                capacity();
                noDelay();
                dequeue();
                run.at(0.73, "convoys");
                Measurements.Watched convoys = injected();
                run.at(0.80, "quiet runs");
                quiet();
                run.at(0.97, "killing coordinators");
                Measurements.Crash crash = crash();
                measured.notes.add(settings());
                return new ScaleUpReport(measured, convoys, crash, bank.balance(), run).report();
            } catch (Exception e) {
                resolve(e); // a database with prepared transactions could not be dropped
                throw e;
            }
        }

        private void resolve(Exception failure) {
            Stream<String> processes = IntStream.rangeClosed(1, MOST_PROCESSES).mapToObj(DoomedProcess::coordinator);
            for (String name : Stream.concat(Stream.of(coordinator.name(), DOOMED), processes)
                    .toList()) {
                try {
                    Recovery _ = Recovery.of(reserved, name);
                } catch (SQLException e) {
                    failure.addSuppressed(e);
                }
            }
        }

        // ---- a fixed rate

        private void offered() throws InterruptedException {
            List<Measurements.Offered> configurations = new ArrayList<>();
            for (int size : SIZES) {
                if (size < bank.size()) {
                    configurations.add(new Measurements.Offered(size, size > 1));
                }
            }
            configurations.add(new Measurements.Offered(bank.size(), true));
            configurations.add(new Measurements.Offered(bank.size(), false));
            for (int round = 0; round < rounds; round++) {
                for (Measurements.Offered each : rotated(configurations, round)) {
                    run.at(
                            0.06 + 0.34 * round / rounds,
                            "a fixed rate on " + counted(each.databases(), "databases") + ", round " + (round + 1)
                                    + " of " + rounds);
                    Measurements.Round made =
                            round(bank.first(each.databases()), each.distributed() ? share : 0, length);
                    measured.loads.add(
                            "a fixed rate on %s%s"
                                    .formatted(
                                            counted(each.databases(), "databases"),
                                            each.distributed() ? ", some distributed" : ""),
                            made.load());
                    measured.add(each, made);
                }
            }
        }

        private Measurements.Round round(SplitBank some, double distributed, Duration measure)
                throws InterruptedException {
            Pulse nobodyLooks = new Pulse(some.size(), Duration.ZERO, System.nanoTime());
            Pulse done = new Pulse(some.size(), measure, System.nanoTime() + OFFERED_WARM_UP.toNanos());
            Bookings bookings = new Bookings(some, distributed, coordinator, nobodyLooks, done);
            LoadResult load =
                    new OpenLoop(rate * some.size(), OFFERED_WARM_UP, measure).run(bookings, seeds.nextLong());
            return new Measurements.Round(load, done.perSecond(), bookings.local(), bookings.distributed());
        }

        // ---- as fast as it goes

        private void capacity() throws Exception {
            inTurn(
                    0.40,
                    "the most throughput",
                    Measurements.Way.ALL_LOCAL,
                    Measurements.Way.SOME_DISTRIBUTED,
                    way -> closed(bank, way == Measurements.Way.SOME_DISTRIBUTED ? share : 0));
        }

        private void noDelay() throws Exception {
            SplitBank two = bank.first(2);
            inTurn(0.51, "TCP_NODELAY", Measurements.Way.NO_DELAY, Measurements.Way.DELAY, way -> {
                setNoDelay(way == Measurements.Way.NO_DELAY);
                try {
                    return closed(two, share);
                } finally {
                    setNoDelay(true);
                }
            });
        }

        private void setNoDelay(boolean noDelay) throws Exception {
            for (Pool pool : pools.subList(0, 2)) {
                Delays.setNoDelay(pool, connections, noDelay);
            }
        }

        private void dequeue() throws Exception {
            SplitBank two = bank.first(2);
            inTurn(0.62, "dequeueing", Measurements.Way.SINGLE, Measurements.Way.GROUP, way -> {
                Dispatcher.Dequeue dequeue =
                        way == Measurements.Way.GROUP ? Dispatcher.Dequeue.GROUP : Dispatcher.Dequeue.SINGLE;
                try (Dispatcher first = new Dispatcher(two, 0, dequeue, run.supervisor());
                        Dispatcher second = new Dispatcher(two, 1, dequeue, run.supervisor())) {
                    LoadResult load = closed(USERS_PER_DISPATCHER * two.size(), client -> {
                        Booking booking = two.draw(client, 0);
                        (booking.home() == 0 ? first : second).book(booking);
                        return Action.Answer.DONE;
                    });
                    if (way == Measurements.Way.GROUP) {
                        measured.groups.add((first.meanGroup() + second.meanGroup()) / 2);
                    }
                    return new Measurements.Round(load, load.perSecond(), load.latency(), new Histogram(3));
                }
            });
        }

        @FunctionalInterface
        private interface Trial {
            Measurements.Round of(Measurements.Way way) throws Exception;
        }

        /** Measures two ways round by round, each first in every other round. */
        private void inTurn(double begin, String doing, Measurements.Way one, Measurements.Way other, Trial trial)
                throws Exception {
            for (int round = 0; round < rounds; round++) {
                for (Measurements.Way way : rotated(List.of(one, other), round)) {
                    run.at(begin + 0.11 * round / rounds, doing + ", round " + (round + 1) + " of " + rounds);
                    Measurements.Round made = trial.of(way);
                    measured.loads.add(doing + ", " + way.text(), made.load());
                    measured.add(way, made);
                }
            }
        }

        private Measurements.Round closed(SplitBank some, double distributed) throws InterruptedException {
            Pulse nobodyLooks = new Pulse(some.size(), Duration.ZERO, System.nanoTime());
            Bookings bookings = new Bookings(some, distributed, coordinator, nobodyLooks, nobodyLooks);
            LoadResult load = closed(USERS_PER_DATABASE * some.size(), bookings);
            return new Measurements.Round(load, load.perSecond(), bookings.local(), bookings.distributed());
        }

        private LoadResult closed(int users, Action action) throws InterruptedException {
            return new ClosedLoop(users, Duration.ZERO, CLOSED_WARM_UP, length).run(action, seeds.nextLong());
        }

        private static <T> List<T> rotated(List<T> all, int by) {
            List<T> order = new ArrayList<>(all);
            Collections.rotate(order, by);
            return order;
        }

        // ---- convoys

        /** Half of the databases, others each time, stand still together. */
        private Measurements.Watched injected() throws Exception {
            Duration watched = Duration.ofMillis(run.count("watchedMs"));
            int still = Math.max(2, bank.size() / 2);
            return watch(watched, origin -> {
                for (int i = 0; i < INJECTED; i++) {
                    int first = i;
                    Thread.sleep(watched.dividedBy(INJECTED + 1));
                    List<Integer> sites = IntStream.range(0, still)
                            .mapToObj(each -> (first + each * bank.size() / still) % bank.size())
                            .sorted()
                            .toList();
                    Standstill made = Standstill.of(reserved, sites, STANDSTILL);
                    measured.injected.add(new Measurements.Injected(
                            sites, windows(made.fromNanos() - origin), windows(made.toNanos() - origin)));
                }
            });
        }

        private static double windows(long nanos) {
            return (double) nanos / Pulse.WINDOW_NANOS;
        }

        /** One load, looked at in parts. */
        private void quiet() throws Exception {
            Duration each = Duration.ofMillis(run.count("quietMs"));
            int runs = run.count("quietRuns");
            Pulse[] pulses = load("quiet runs", each.multipliedBy(runs), origin -> {});
            int windows = (int) (each.toNanos() / Pulse.WINDOW_NANOS);
            for (int i = 0; i < runs; i++) {
                measured.quiet.add(Measurements.Watched.of(
                        pulses[0].between(i * windows, (i + 1) * windows),
                        pulses[1].between(i * windows, (i + 1) * windows)));
            }
        }

        @FunctionalInterface
        private interface Meanwhile {
            /** @param originNanos the begin of the first window */
            void happens(long originNanos) throws Exception;
        }

        private Measurements.Watched watch(Duration watched, Meanwhile meanwhile) throws Exception {
            Pulse[] pulses = load("convoys", watched, meanwhile);
            return Measurements.Watched.of(
                    pulses[0].between(0, pulses[0].windows()), pulses[1].between(0, pulses[1].windows()));
        }

        /** Offers the fixed rate to all databases while something happens. @return starts and completions */
        private Pulse[] load(String doing, Duration watched, Meanwhile meanwhile) throws Exception {
            long origin = System.nanoTime() + OFFERED_WARM_UP.toNanos();
            Pulse started = new Pulse(bank.size(), watched, origin);
            Pulse done = new Pulse(bank.size(), watched, origin);
            Bookings bookings = new Bookings(bank, share, coordinator, started, done);
            OpenLoop loop = new OpenLoop(rate * bank.size(), OFFERED_WARM_UP, watched);
            long seed = seeds.nextLong();
            try (ExecutorService thread = Executors.newVirtualThreadPerTaskExecutor()) {
                Future<LoadResult> load = thread.submit(() -> loop.run(bookings, seed));
                try {
                    meanwhile.happens(origin);
                    measured.loads.add(doing, load.get());
                } finally {
                    load.cancel(true);
                }
            }
            return new Pulse[] {started, done};
        }

        // ---- crashes

        /**
         * Under load, a coordinator ends at every step of some transactions, and another one's process is killed; then the recovery
         * resolves what they left. A process that is killed where it has prepared nothing leaves nothing to resolve, so others follow.
         */
        private Measurements.Crash crash() throws Exception {
            List<Target> sites =
                    pools.stream().map(pool -> pool.database().target()).toList();
            AtomicReference<Measurements.Crash> crash = new AtomicReference<>();
            try (DoomedProcess process = DoomedProcess.start(1, sites)) {
                Pulse[] _ = load("killing coordinators", length, origin -> crash.set(killAndRecover(process)));
            }
            Measurements.Crash made = Objects.requireNonNull(crash.get());
            Measurements.Kill kill = made.kill();
            while (kill.recovery().parts() == 0 && kill.processes() < MOST_PROCESSES) {
                int number = kill.processes() + 1;
                run.at(0.98, "killing process " + number);
                try (DoomedProcess process = DoomedProcess.start(number, sites)) {
                    kill = kill.and(kill(process, number));
                }
            }
            int living = Recovery.inDoubt(reserved, coordinator.name());
            return new Measurements.Crash(
                    made.killed(), made.inDoubt(), made.recovery(), made.recoveryMs(), made.leftover() + living, kill);
        }

        private Measurements.Kill kill(DoomedProcess process, int number) throws Exception {
            String name = DoomedProcess.coordinator(number);
            process.kill();
            long begin = System.nanoTime();
            Recovery resolved = new Recovery(0, 0);
            boolean hasSessions; // which may prepare something until the server ends them
            do {
                hasSessions = DoomedProcess.sessions(reserved) > 0;
                resolved = resolved.and(Recovery.of(reserved, name));
            } while (hasSessions && System.nanoTime() - begin < MOST_RECOVERY_NANOS);
            return new Measurements.Kill(
                    1, resolved, (System.nanoTime() - begin) / 1e6, Recovery.inDoubt(reserved, name));
        }

        private Measurements.Crash killAndRecover(DoomedProcess process) throws Exception {
            AtomicReference<Coordinator.Step> end = new AtomicReference<>();
            Coordinator doomed = new Coordinator(DOOMED, reserved, step -> {
                if (step == end.get()) {
                    throw new Killed(step);
                }
            });
            int killed = 0;
            for (Coordinator.Step step : Coordinator.Step.values()) {
                end.set(step);
                for (int i = 0; i < KILLED_AT_EACH_STEP; i++) {
                    try {
                        doomed.book(apart(killed));
                    } catch (Killed expected) {
                        killed++;
                    }
                }
            }
            int inDoubt = Recovery.inDoubt(reserved, DOOMED);
            long begin = System.nanoTime();
            Recovery recovery = Recovery.of(reserved, DOOMED);
            double millis = (System.nanoTime() - begin) / 1e6;
            int leftover = Recovery.inDoubt(reserved, DOOMED);
            return new Measurements.Crash(killed, inDoubt, recovery, millis, leftover, kill(process, 1));
        }

        /** Distributed bookings of which none needs a branch that one before it may have left locked. */
        private Booking apart(int number) {
            int branch = number % SplitBank.BRANCHES;
            int home = number % bank.size();
            return new Booking(home, (home + 1) % bank.size(), 1 + number, 1 + branch * SplitBank.TELLERS_OF_BRANCH, 1);
        }

        // ---- the server

        private String settings() throws SQLException {
            try (Lease lease = pools.getFirst().acquire(LeaseRequest.by("settings"))) {
                return "The server's settings: fsync %s, synchronous_commit %s, max_prepared_transactions %s."
                        .formatted(
                                setting(lease.connection(), "fsync"),
                                setting(lease.connection(), "synchronous_commit"),
                                setting(lease.connection(), "max_prepared_transactions"));
            }
        }

        private static String setting(Connection connection, String name) throws SQLException {
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SHOW " + name)) {
                row.next();
                return row.getString(1);
            }
        }
    }
}
