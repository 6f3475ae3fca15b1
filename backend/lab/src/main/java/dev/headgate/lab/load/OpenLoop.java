package dev.headgate.lab.load;

import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.engine.time.SystemTime;
import dev.headgate.lab.Client;
import dev.headgate.lab.pacing.Arrivals;
import dev.headgate.lab.pacing.Pacer;
import dev.headgate.lab.pacing.Plan;
import java.time.Duration;
import java.time.InstantSource;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Users who arrive at random times at planned rates, whatever becomes of those before: each with one request, or with a session of
 * several and thinking in between. Each runs on a virtual thread of its own. A request is timed from when it was due, which the first
 * one is at the user's arrival, so nothing that stands still hides (no coordinated omission). Beyond {@value #MOST_AT_ONCE} users at
 * once, arrivals fail.
 *
 * @param plan of arrivals a second
 * @param think the mean of the thinking between two requests of a session; zero for none
 */
public record OpenLoop(Plan plan, Duration think) {

    private static final int MOST_AT_ONCE = 20_000;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /**
     * One rate.
     *
     * @param ratePerSecond of users, above 0
     * @param think the mean of the thinking between two requests of a session; zero for none
     * @param warmUp the load runs, but does not count
     * @param measured the part that counts
     */
    public OpenLoop(double ratePerSecond, Duration think, Duration warmUp, Duration measured) {
        this(Plan.of(ratePerSecond, warmUp, measured), think);
    }

    /** The same, without thinking, for users with one request each. */
    public OpenLoop(double ratePerSecond, Duration warmUp, Duration measured) {
        this(Plan.of(ratePerSecond, warmUp, measured));
    }

    /** Without thinking, for users with one request each. */
    public OpenLoop(Plan plan) {
        this(plan, Duration.ZERO);
    }

    /** Runs it with users who send one request each, as {@link #runSessions} does. */
    public LoadResult run(Action action, long seed) throws InterruptedException {
        return run(action, seed, PATIENCE);
    }

    LoadResult run(Action action, long seed, Duration patience) throws InterruptedException {
        return runSessions(Sessions.of(action), seed, patience);
    }

    /**
     * Runs it. Sessions that are not over at its end send nothing more. Blocks until all requests have ended, {@code 30 s} beyond its time
     * at most; it interrupts those that run longer.
     */
    public LoadResult runSessions(Sessions sessions, long seed) throws InterruptedException {
        return runSessions(sessions, seed, PATIENCE);
    }

    private LoadResult runSessions(Sessions sessions, long seed, Duration patience) throws InterruptedException {
        SplittableRandom seeds = new SplittableRandom(seed);
        Semaphore room = new Semaphore(MOST_AT_ONCE);
        long begin = System.nanoTime();
        long end = begin + plan.endNanos();
        Tally tally = new Tally(begin + plan.warmUp().toNanos(), end);
        Supervisor generator = new Supervisor(
                InstantSource.system(), failure -> tally.failed(failure.cause(), System.nanoTime(), System.nanoTime()));
        try (SystemTime time = new SystemTime(generator)) {
            try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
                CountDownLatch over = new CountDownLatch(1);
                Pacer pacer = new Pacer(
                        time,
                        new Arrivals(plan, seeds.split()),
                        due -> {
                            Client client = new Client(seeds.split(), nanos -> Thread.sleep(Duration.ofNanos(nanos)));
                            if (room.tryAcquire()) {
                                threads.execute(() -> {
                                    try {
                                        visit(new User(client, think, time::nanoTime, end, tally), sessions, due);
                                    } finally {
                                        room.release();
                                    }
                                });
                            } else {
                                tally.dropped(due);
                            }
                        },
                        over::countDown);
                pacer.start();
                try {
                    over.await(); // a late generator still starts all that were due
                    threads.shutdown();
                    if (!threads.awaitTermination(patience.toNanos(), TimeUnit.NANOSECONDS)) {
                        tally.gaveUp();
                        threads.shutdownNow();
                    }
                } catch (InterruptedException e) {
                    pacer.stop();
                    threads.shutdownNow(); // also those that the patience is for: they may wait for ever
                    throw e;
                }
            }
            return tally.result();
        }
    }

    private static void visit(User user, Sessions sessions, long due) {
        try {
            user.visit(sessions, due);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
