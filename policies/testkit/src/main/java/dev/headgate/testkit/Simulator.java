package dev.headgate.testkit;

import dev.headgate.spi.DatabaseView;
import dev.headgate.spi.Limits;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PoolView;
import dev.headgate.spi.Tier;
import dev.headgate.spi.Window;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.SplittableRandom;

/**
 * One pool on one simulated server, in virtual time: requests arrive, wait, get a connection, run one or more requests
 * on the server, and give it back, while the pool's policies are asked as the governor asks them (every 100 ms and when
 * a request finds nothing free).
 *
 * <p>The same seed gives the same run.
 */
public final class Simulator {

    private static final long WINDOW = Duration.ofMillis(100).toNanos();

    private final VirtualTime time = new VirtualTime();
    private final SimulatedServer server;
    private final Load load;
    private final Work work;
    private final List<Policy> policies;
    private final SplittableRandom random;
    private final Run run = new Run();

    private final ArrayDeque<Long> waiters = new ArrayDeque<>();
    private Limits limits = Limits.unbounded();
    private Window window = Views.emptyWindow(0);
    private int size;
    private int idle;
    private int inUse;
    private int opening;
    private int arrivals;
    private int leases;
    private int refused;
    private double inUseNanos;
    private double requestNanos;
    private long inUseSince;
    private long windowStart;
    private final Durations.Recorder latency = new Durations.Recorder();
    private final Durations.Recorder waits = new Durations.Recorder();

    /**
     * What one lease is used for, and how long one may wait for it.
     *
     * @param requests how many requests run on one lease
     * @param thinkNanos how long the application takes between two of them
     * @param openNanos how long it takes to open a connection
     * @param timeoutNanos how long a request waits at most
     * @param depth how many requests may wait
     */
    public record Work(int requests, long thinkNanos, long openNanos, long timeoutNanos, int depth) {
        /** One request per lease, 20 ms to open a connection, and a queue of at most 200 for at most 1 s. */
        public static Work single() {
            return new Work(1, 0, Duration.ofMillis(20).toNanos(), Duration.ofSeconds(1).toNanos(), 200);
        }

        public Work withTransactions(int statements, Duration think) {
            return new Work(statements, think.toNanos(), openNanos, timeoutNanos, depth);
        }
    }

    public Simulator(SimulatedServer server, Load load, Work work, long seed, List<Policy> policies) {
        this.server = server;
        this.load = load;
        this.work = work;
        this.policies = List.copyOf(policies);
        this.random = new SplittableRandom(seed);
        this.windowStart = time.nanoTime();
        this.inUseSince = time.nanoTime();
        time.every(WINDOW, this::tick);
        scheduleArrival();
        step();
    }

    /** Lets it run on for a while and gives the record of all that happened since the start. */
    public Run runFor(Duration stretch) {
        time.runFor(stretch);
        return run;
    }

    private void scheduleArrival() {
        long now = time.sinceStartNanos();
        double rate = load.perSecondAt(now);
        long change = load.nextChange(now);
        if (rate <= 0) {
            if (change != Long.MAX_VALUE) {
                time.after(change - now, this::scheduleArrival);
            }
            return;
        }
        long gap = (long) (-Math.log(1 - random.nextDouble()) / rate * 1e9);
        if (change != Long.MAX_VALUE && now + gap > change) {
            time.after(change - now, this::scheduleArrival);
            return;
        }
        time.after(gap, () -> {
            arrive();
            scheduleArrival();
        });
    }

    private void arrive() {
        arrivals++;
        if (idle > 0) {
            lease(time.nanoTime());
        } else if (waiters.size() >= work.depth) {
            refused++;
        } else {
            waiters.add(time.nanoTime());
            step();
        }
    }

    private void lease(long arrivedNanos) {
        countInUse();
        idle--;
        inUse++;
        leases++;
        waits.record(time.nanoTime() - arrivedNanos);
        request(work.requests);
    }

    private void request(int left) {
        long took = server.begin(time.sinceStartNanos(), load.heavinessAt(time.sinceStartNanos()));
        time.after(took, () -> {
            server.end();
            latency.record(took);
            requestNanos += took;
            if (left > 1) {
                time.after(work.thinkNanos, () -> request(left - 1));
            } else {
                release();
            }
        });
    }

    private void release() {
        countInUse();
        inUse--;
        if (size > limits.ceiling()) {
            size--;
        } else {
            idle++;
            serve();
        }
    }

    private void serve() {
        dropExpired();
        while (idle > 0 && !waiters.isEmpty()) {
            lease(waiters.remove());
        }
    }

    private void dropExpired() {
        long now = time.nanoTime();
        while (!waiters.isEmpty() && now - waiters.peek() >= work.timeoutNanos) {
            waiters.remove();
            refused++;
        }
    }

    private void tick() {
        long now = time.nanoTime();
        dropExpired();
        countInUse();
        double length = now - windowStart;
        Durations measured = latency.take();
        window = new Window(
                windowStart,
                now - windowStart,
                measured,
                waits.take(),
                arrivals,
                leases,
                refused,
                0,
                requestNanos / length,
                inUseNanos / length,
                size,
                waiters.size(),
                List.of());
        windowStart = now;
        arrivals = 0;
        leases = 0;
        refused = 0;
        inUseNanos = 0;
        requestNanos = 0;
        policies.forEach(policy -> policy.observe(window));
        step();
        run.add(time.sinceStartNanos(), window, limits, inUse);
    }

    /** The governor's step: ask, combine, grow and shrink. */
    private void step() {
        PoolView view = view();
        Limits combined = Limits.unbounded();
        for (Policy policy : policies) {
            combined = combined.and(policy.limits(view));
        }
        run.answered(time.sinceStartNanos(), limits, combined);
        limits = combined;
        while (size > limits.ceiling() && idle > 0) {
            idle--;
            size--;
        }
        int wanted = Math.min(limits.ceiling(), Math.max(limits.effectiveFloor(), inUse + waiters.size()));
        while (size < wanted) {
            size++;
            opening++;
            time.after(work.openNanos, () -> {
                opening--;
                idle++;
                serve();
            });
        }
    }

    private void countInUse() {
        long now = time.nanoTime();
        inUseNanos += (double) inUse * (now - inUseSince);
        inUseSince = now;
    }

    private PoolView view() {
        long longest = waiters.isEmpty() ? 0 : time.nanoTime() - waiters.peek();
        return new PoolView(
                "domain",
                1,
                time.now(),
                time.nanoTime(),
                size,
                inUse,
                idle,
                waiters.size(),
                longest,
                window,
                limits,
                new DatabaseView(
                        "database",
                        1_000,
                        size,
                        List.of(new DatabaseView.Sibling("domain", Tier.NONE, size, inUse, waiters.size(), 0))));
    }
}
