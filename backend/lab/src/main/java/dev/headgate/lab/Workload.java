package dev.headgate.lab;

import dev.headgate.engine.Lease;
import dev.headgate.engine.LeaseException;
import dev.headgate.engine.LeaseRequest;
import dev.headgate.engine.Pool;
import dev.headgate.engine.time.Time;
import dev.headgate.lab.pacing.Arrivals;
import dev.headgate.lab.pacing.Pacer;
import dev.headgate.lab.pacing.Tide;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An open-loop load on one domain. Each arrival runs on a thread of its own: it acquires a lease, runs one transaction of
 * its load's mix, commits and ends the lease. Its latency counts from its scheduled time.
 *
 * <p>Nothing slows the arrivals down, so they would pile up in front of a database that does not answer. While
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
    private final Pacer pacer;
    private final RecentArrivals recent;
    private final Semaphore room = new Semaphore(MAX_IN_FLIGHT);
    private final LongAdder errors = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder dropped = new LongAdder();

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
        this.pacer = new Pacer(time, new Arrivals(ratePerSecond, tide(), seeds.split()), this::arrive);
        this.recent = new RecentArrivals(time.nanoTime());
    }

    public String name() {
        return load.name();
    }

    public String domain() {
        return load.domain();
    }

    /** Starts the arrivals. Has no effect while it is running. */
    public void start() {
        pacer.start();
    }

    /** Stops the arrivals. Those in flight continue. */
    public void stop() {
        pacer.stop();
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
     */
    public synchronized void setRatePerSecond(double rate) {
        if (!(rate >= MIN_RATE && rate <= MAX_RATE)) {
            throw new IllegalArgumentException("ratePerSecond must be in 0.1..5000, was " + rate);
        }
        ratePerSecond = rate;
        repace();
    }

    /** Sets whether the rate rises and falls over minutes. Takes effect at once. */
    public synchronized void setVaries(boolean varies) {
        this.varies = varies;
        repace();
    }

    public WorkloadStatus status() {
        RecentArrivals.Summary summary = recent.summary(time.nanoTime());
        return new WorkloadStatus(
                name(),
                domain(),
                load.description(),
                pacer.isRunning(),
                ratePerSecond,
                varies,
                summary.offeredPerSecond(),
                summary.achievedPerSecond(),
                MAX_IN_FLIGHT - room.availablePermits(),
                errors.sum(),
                refused.sum(),
                dropped.sum(),
                summary.lateMs(),
                Optional.ofNullable(lastError),
                summary.latency(),
                summary.total());
    }

    private void repace() {
        pacer.change(ratePerSecond, tide());
    }

    private Optional<Tide> tide() {
        return varies ? Optional.of(tide) : Optional.empty();
    }

    /** Called by the pacer's thread, one arrival at a time. */
    private void arrive(long dueNanos) {
        recent.offered(time.nanoTime());
        Client client = new Client(seeds.split(), spending);
        Mix.Entry entry = mix.draw(client.random());
        if (!room.tryAcquire()) {
            refused.increment();
            dropped.increment();
            return;
        }
        threads.execute(() -> {
            try {
                serve(entry, client, dueNanos);
            } finally {
                room.release();
            }
        });
    }

    private void serve(Mix.Entry entry, Client client, long dueNanos) {
        long begunNanos = time.nanoTime();
        recent.begun(begunNanos - dueNanos, begunNanos);
        try {
            Pool target = pool.get().orElseThrow(() -> new SQLException("there is no domain " + domain()));
            try (Lease lease = target.acquire(LeaseRequest.by(entry.holder()))) {
                entry.transaction().commit(lease.connection(), client);
            }
            long now = time.nanoTime();
            recent.committed(now - dueNanos, now);
        } catch (LeaseException e) {
            switch (e.why()) {
                case REJECTED, FAILED, QUEUE_FULL, CLOSED, ENDED -> refused.increment();
                case TIMED_OUT, BUDGET_USED_UP, UNREACHABLE, INTERRUPTED -> failed(entry, e);
            }
        } catch (SQLException | RuntimeException e) {
            failed(entry, e);
        } catch (InterruptedException e) {
            failed(entry, e);
            Thread.currentThread().interrupt();
        }
    }

    private void failed(Mix.Entry entry, Exception cause) {
        errors.increment();
        lastError = entry.holder() + ": " + (cause.getMessage() == null ? cause : cause.getMessage());
    }
}
