package dev.headgate.lab;

import dev.headgate.engine.Lease;
import dev.headgate.engine.LeaseException;
import dev.headgate.engine.LeaseRequest;
import dev.headgate.engine.Pool;
import dev.headgate.engine.time.Time;
import dev.headgate.lab.pacing.Arrivals;
import dev.headgate.lab.pacing.Course;
import dev.headgate.lab.pacing.Generator;
import dev.headgate.lab.pacing.Pacer;
import dev.headgate.lab.pacing.Plan;
import dev.headgate.lab.pacing.Tide;
import dev.headgate.lab.pacing.Users;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * A load on one domain: an open loop, or a closed one if its load has users. Each arrival runs on a thread of its own: it acquires a
 * lease, runs one transaction of its load's mix, commits and ends the lease. Its latency counts from its scheduled time.
 *
 * <p>Nothing slows the arrivals of an open loop down, so they would pile up in front of a database that does not answer. While
 * {@value #MAX_IN_FLIGHT} are in flight, new ones are dropped and counted as refused.
 *
 * <p>Safe for use by several threads. Starting, stopping and changing return at once.
 */
public final class Workload {

    /** The most arrivals in flight; further ones are dropped. */
    public static final int MAX_IN_FLIGHT = 1000;

    /** The allowed rates, per second. */
    public static final double MIN_RATE = 0.1;

    public static final double MAX_RATE = 5000;

    private final Load load;
    private final Supplier<Optional<Pool>> pool;
    private final Time time;
    private final Executor threads;
    private final Client.Spending spending;
    private final Mix mix;
    private final Tide tide;
    private final SplittableRandom seeds;
    private final Generator generator;

    /** The generator of a load that can be steered. */
    private final Optional<Pacer> pacer;

    private final Optional<Pace.Planned> planned;
    private final RecentArrivals recent;
    private final Semaphore room = new Semaphore(MAX_IN_FLIGHT);
    private final long madeNanos;

    /** One for each phase; a single one without phases. Replaced when a planned load starts. */
    private volatile List<PhaseTotals> totals;

    private volatile @Nullable String lastError;
    private volatile double ratePerSecond;
    private volatile boolean varies;

    /**
     * Creates a workload with its load's pace. It is stopped until it is started.
     *
     * @param pool asked at each arrival, because a domain may be removed and made again while the load runs
     * @param threads runs each arrival; must not run it on the caller's thread, nor bound how many run
     * @param spending how the clients' own work passes
     * @param seed of everything random: arrivals, kinds of transactions, their values, the clients' work
     */
    public Workload(
            Load load,
            Supplier<Optional<Pool>> pool,
            Time time,
            Executor threads,
            Client.Spending spending,
            long seed) {
        this.load = load;
        this.pool = pool;
        this.time = time;
        this.threads = threads;
        this.spending = spending;
        this.mix = load.mix();
        this.ratePerSecond = load.pace().ratePerSecond();
        this.varies = load.pace().varies();
        this.tide = new Tide(seed);
        this.seeds = new SplittableRandom(seed);
        this.planned = load.pace().planned();
        this.madeNanos = time.nanoTime();
        this.recent = new RecentArrivals(madeNanos);
        this.totals = fresh();
        Optional<Duration> think = planned.flatMap(Pace.Planned::think);
        if (think.isPresent()) {
            this.generator = new Users(
                    time, planned.orElseThrow().plan(), think.get(), seeds.split(), (due, ended) -> arrive(due, ended));
            this.pacer = Optional.empty();
        } else {
            Pacer open = new Pacer(time, new Arrivals(course(), seeds.split()), due -> arrive(due, served -> {}));
            this.generator = open;
            this.pacer = planned.isEmpty() ? Optional.of(open) : Optional.empty();
        }
    }

    private List<PhaseTotals> fresh() {
        int phases = planned.map(each -> each.plan().phases().size()).orElse(1);
        return Stream.generate(PhaseTotals::new).limit(phases).toList();
    }

    private Course course() {
        return planned.isPresent()
                ? planned.get().plan()
                : Course.of(ratePerSecond, varies ? Optional.of(tide) : Optional.empty());
    }

    public String name() {
        return load.name();
    }

    public String domain() {
        return load.domain();
    }

    /** Starts the arrivals; a planned load begins again with its first phase. Has no effect while it is running. */
    public synchronized void start() {
        if (planned.isPresent() && !generator.isRunning()) {
            totals = fresh();
            lastError = null;
        }
        generator.start();
    }

    /** Whether its load is planned: it then has no rate to set. */
    public boolean isPlanned() {
        return planned.isPresent();
    }

    /** Stops the arrivals. Those in flight continue. */
    public void stop() {
        generator.stop();
    }

    /** Stops, and waits up to a time for arrivals in flight. Returns whether all are done. Blocks. */
    public boolean stopAndAwait(Duration timeout) throws InterruptedException {
        stop();
        if (!room.tryAcquire(MAX_IN_FLIGHT, timeout.toNanos(), TimeUnit.NANOSECONDS)) {
            return false;
        }
        room.release(MAX_IN_FLIGHT);
        return true;
    }

    /**
     * Sets the mean rate. Takes effect at once.
     *
     * @throws IllegalArgumentException if it is not in {@value #MIN_RATE}..{@value #MAX_RATE}
     * @throws IllegalStateException if the load is planned
     */
    public synchronized void setRatePerSecond(double rate) {
        if (!(rate >= MIN_RATE && rate <= MAX_RATE)) {
            throw new IllegalArgumentException("ratePerSecond must be in 0.1..5000, was " + rate);
        }
        Pacer steered = steered();
        ratePerSecond = rate;
        steered.change(course());
    }

    /**
     * Sets whether the rate rises and falls over minutes. Takes effect at once.
     *
     * @throws IllegalStateException if the load is planned
     */
    public synchronized void setVaries(boolean varies) {
        Pacer steered = steered();
        this.varies = varies;
        steered.change(course());
    }

    public WorkloadStatus status() {
        long now = time.nanoTime();
        RecentArrivals.Summary summary = recent.summary(now);
        List<PhaseTotals> each = totals;
        List<PhaseTotals> counted = new ArrayList<>();
        Histogram micros = new Histogram(2);
        Histogram lateMicros = new Histogram(2);
        double lastedNanos = 0;
        for (int i = 0; i < each.size(); i++) {
            if (counts(i)) {
                counted.add(each.get(i));
                each.get(i).addLatencyTo(micros);
                each.get(i).addLatenessTo(lateMicros);
                lastedNanos += lastedNanos(i, now);
            }
        }
        boolean running = generator.isRunning();
        double level = running ? course().at(generator.elapsedNanos()) : 0;
        boolean closed = planned.flatMap(Pace.Planned::think).isPresent();
        return new WorkloadStatus(
                name(),
                domain(),
                load.description(),
                running,
                planned.isEmpty() ? ratePerSecond : closed ? 0 : level,
                closed ? OptionalInt.of((int) Math.round(level)) : OptionalInt.empty(),
                varies,
                summary.offeredPerSecond(),
                summary.achievedPerSecond(),
                MAX_IN_FLIGHT - room.availablePermits(),
                sum(counted, total -> total.errors),
                sum(counted, total -> total.refused),
                sum(counted, total -> total.dropped),
                summary.lateMs(),
                lateMicros.getValueAtPercentile(99) / 1e3,
                Optional.ofNullable(lastError),
                summary.latency(),
                WorkloadStatus.Latency.of(micros, Math.max(1, lastedNanos)),
                phases().isEmpty()
                        ? OptionalInt.empty()
                        : OptionalInt.of(planned.orElseThrow().plan().indexAt(generator.elapsedNanos())),
                phaseStatus(each, now));
    }

    private static long sum(List<PhaseTotals> totals, Function<PhaseTotals, LongAdder> count) {
        return totals.stream().mapToLong(each -> count.apply(each).sum()).sum();
    }

    /** Empty without a plan, and for a plan that never ends. */
    private List<Plan.Phase> phases() {
        return planned.filter(each -> !each.isEndless())
                .map(each -> each.plan().phases())
                .orElse(List.of());
    }

    private boolean counts(int phase) {
        return planned.isEmpty() || !planned.get().plan().phases().get(phase).warmUp();
    }

    /** How much of a phase has passed; since the workload was made without phases. */
    private double lastedNanos(int phase, long nowNanos) {
        if (planned.isEmpty()) {
            return nowNanos - madeNanos;
        }
        Plan plan = planned.get().plan();
        long passed = generator.elapsedNanos() - plan.beginNanos(phase);
        return Math.clamp(passed, 0, plan.phases().get(phase).length().toNanos());
    }

    private List<WorkloadStatus.Phase> phaseStatus(List<PhaseTotals> totals, long nowNanos) {
        List<WorkloadStatus.Phase> status = new ArrayList<>();
        for (Plan.Phase phase : phases()) {
            int index = status.size();
            PhaseTotals ofPhase = totals.get(index);
            status.add(new WorkloadStatus.Phase(
                    phase.from(),
                    phase.to(),
                    phase.length().toNanos() / 1e9,
                    phase.warmUp(),
                    ofPhase.offered.sum(),
                    ofPhase.errors.sum(),
                    ofPhase.refused.sum(),
                    ofPhase.latency(Math.max(1, lastedNanos(index, nowNanos)))));
        }
        return List.copyOf(status);
    }

    private Pacer steered() {
        return pacer.orElseThrow(() -> new IllegalStateException(name() + " follows a plan"));
    }

    private PhaseTotals totalsOf(long dueNanos) {
        return totals.get(planned.map(each -> each.plan().indexAt(dueNanos - generator.startedNanos()))
                .orElse(0));
    }

    /** Called by the timer's thread, one arrival at a time. */
    private void arrive(long dueNanos, Users.Ended ended) {
        recent.offered(time.nanoTime());
        PhaseTotals total = totalsOf(dueNanos);
        total.offered.increment();
        Client client = new Client(seeds.split(), spending);
        Mix.Entry entry = mix.draw(client.random());
        if (!room.tryAcquire()) {
            total.refused.increment();
            total.dropped.increment();
            ended.ended(false);
            return;
        }
        threads.execute(() -> {
            boolean served = false;
            try {
                served = serve(entry, client, dueNanos, total);
            } finally {
                room.release();
                ended.ended(served);
            }
        });
    }

    /** Returns whether its transaction was committed. */
    private boolean serve(Mix.Entry entry, Client client, long dueNanos, PhaseTotals total) {
        long begunNanos = time.nanoTime();
        recent.begun(begunNanos - dueNanos, begunNanos);
        total.begun(begunNanos - dueNanos);
        try {
            Pool target = pool.get().orElseThrow(() -> new SQLException("there is no domain " + domain()));
            try (Lease lease = target.acquire(LeaseRequest.by(entry.holder()))) {
                entry.transaction().commit(lease.connection(), client);
            }
            long now = time.nanoTime();
            recent.committed(now - dueNanos, now);
            total.committed(now - dueNanos);
            return true;
        } catch (LeaseException e) {
            switch (e.why()) {
                case REJECTED, FAILED, QUEUE_FULL, CLOSED, ENDED -> total.refused.increment();
                case TIMED_OUT, BUDGET_USED_UP, UNREACHABLE, INTERRUPTED -> failed(entry, e, total);
            }
        } catch (SQLException | RuntimeException | Error e) {
            failed(entry, e, total);
        } catch (InterruptedException e) {
            failed(entry, e, total);
            Thread.currentThread().interrupt();
        }
        return false;
    }

    private void failed(Mix.Entry entry, Throwable cause, PhaseTotals total) {
        total.errors.increment();
        lastError = entry.holder() + ": " + (cause.getMessage() == null ? cause : cause.getMessage());
    }
}
