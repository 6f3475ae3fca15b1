package dev.headgate.lab.load;

import dev.headgate.lab.Client;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * A number of users who each send a request, wait for its answer, think, and send the next. Users think for an exponentially
 * distributed time; the next request is due when the thinking ends, so a late generator is seen in the latency and is reported. Without
 * thinking it is due whenever it is sent: there is no schedule, and the result tells none.
 *
 * @param users at least 1
 * @param think the mean; zero for none
 * @param warmUp the load runs, but does not count
 * @param measured the part that counts
 */
public record ClosedLoop(int users, Duration think, Duration warmUp, Duration measured) {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    public ClosedLoop {
        if (users < 1) {
            throw new IllegalArgumentException("users must be at least 1, was " + users);
        }
    }

    /** Runs it with users who send the same request again and again, as {@link #runSessions} does. */
    public LoadResult run(Action action, long seed) throws InterruptedException {
        return run(action, seed, PATIENCE);
    }

    LoadResult run(Action action, long seed, Duration patience) throws InterruptedException {
        return runSessions(Sessions.of(action), seed, patience);
    }

    /**
     * Runs it. A user whose session ends thinks and begins another. Blocks until all requests have ended, {@code 30 s} beyond its time at
     * most; it interrupts those that run longer.
     */
    public LoadResult runSessions(Sessions sessions, long seed) throws InterruptedException {
        return runSessions(sessions, seed, PATIENCE);
    }

    private LoadResult runSessions(Sessions sessions, long seed, Duration patience) throws InterruptedException {
        long begin = System.nanoTime();
        long end = begin + warmUp.toNanos() + measured.toNanos();
        Tally tally = new Tally(begin + warmUp.toNanos(), end);
        SplittableRandom seeds = new SplittableRandom(seed);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < users; i++) {
                SplittableRandom random = seeds.split();
                threads.execute(() -> use(sessions, random, begin, end, tally));
            }
            threads.shutdown();
            try {
                if (!threads.awaitTermination(
                        warmUp.plus(measured).plus(patience).toNanos(), TimeUnit.NANOSECONDS)) {
                    tally.gaveUp();
                    threads.shutdownNow();
                }
            } catch (InterruptedException e) {
                threads.shutdownNow();
                throw e;
            }
        }
        return think.isZero() ? tally.result().withoutSchedule() : tally.result();
    }

    private void use(Sessions sessions, SplittableRandom random, long begin, long end, Tally tally) {
        Client client = new Client(random, nanos -> Thread.sleep(Duration.ofNanos(nanos)));
        User user = new User(client, think, System::nanoTime, end, tally);
        try {
            long due = begin + user.thinking(); // users do not come all at once
            while (due - end < 0 && !Thread.currentThread().isInterrupted()) {
                due = user.visit(sessions, due);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
