package dev.headgate.lab.load;

import dev.headgate.lab.Client;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A number of users who each send a request, wait for its answer, think, and send the next. Users think for an exponentially
 * distributed time; the next request is due when the thinking ends, so a late generator is seen in the latency and is reported.
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

    /** Runs it. Blocks until all requests have ended, {@code 30 s} beyond its time at most. */
    public LoadResult run(Action action, long seed) throws InterruptedException {
        long begin = System.nanoTime();
        long end = begin + warmUp.toNanos() + measured.toNanos();
        Tally tally = new Tally(begin + warmUp.toNanos(), end);
        SplittableRandom seeds = new SplittableRandom(seed);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < users; i++) {
                SplittableRandom random = seeds.split();
                threads.execute(() -> use(action, random, begin, end, tally));
            }
            threads.shutdown();
            try {
                if (!threads.awaitTermination(
                        warmUp.plus(measured).plus(PATIENCE).toNanos(), TimeUnit.NANOSECONDS)) {
                    threads.shutdownNow();
                }
            } catch (InterruptedException e) {
                threads.shutdownNow();
                throw e;
            }
        }
        return tally.result();
    }

    private void use(Action action, SplittableRandom random, long begin, long end, Tally tally) {
        Client client = new Client(random, nanos -> Thread.sleep(Duration.ofNanos(nanos)));
        long due = begin + thinking(random); // users do not come all at once
        while (!Thread.currentThread().isInterrupted() && due - end < 0) {
            sleepUntil(due);
            tally.started(due, System.nanoTime());
            try {
                tally.ended(action.run(client), due, System.nanoTime());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (Exception e) {
                tally.failed(e, due);
            }
            due = System.nanoTime() + thinking(random);
        }
    }

    private long thinking(SplittableRandom random) {
        return think.isZero() ? 0 : (long) (think.toNanos() * random.nextExponential());
    }

    private static void sleepUntil(long due) {
        long left = due - System.nanoTime();
        while (left > 0 && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(left);
            left = due - System.nanoTime();
        }
    }
}
