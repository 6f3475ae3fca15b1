package dev.headgate.lab.load;

import dev.headgate.engine.time.SystemTime;
import dev.headgate.lab.Client;
import dev.headgate.lab.pacing.Arrivals;
import dev.headgate.lab.pacing.Pacer;
import java.time.Duration;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Requests that arrive at random times at a stated rate, whatever becomes of those before. Each runs on a virtual thread of its own
 * and is timed from its scheduled arrival, so nothing that stands still hides (no coordinated omission). Beyond
 * {@value #MOST_IN_FLIGHT} in flight, arrivals fail.
 *
 * @param ratePerSecond above 0
 * @param warmUp the load runs, but does not count
 * @param measured the part that counts
 */
public record OpenLoop(double ratePerSecond, Duration warmUp, Duration measured) {

    private static final int MOST_IN_FLIGHT = 20_000;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    public OpenLoop {
        if (!(ratePerSecond > 0)) {
            throw new IllegalArgumentException("the rate must be above 0, was " + ratePerSecond);
        }
    }

    /** Runs it. Blocks until all requests have ended, {@code 30 s} beyond its time at most. */
    public LoadResult run(Action action, long seed) throws InterruptedException {
        SplittableRandom seeds = new SplittableRandom(seed);
        Semaphore room = new Semaphore(MOST_IN_FLIGHT);
        Duration length = warmUp.plus(measured);
        try (SystemTime time = new SystemTime();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            long begin = time.nanoTime();
            Tally tally = new Tally(begin + warmUp.toNanos(), begin + length.toNanos());
            Pacer pacer = new Pacer(time, new Arrivals(ratePerSecond, Optional.empty(), seeds.split()), due -> {
                Client client = new Client(seeds.split(), nanos -> Thread.sleep(Duration.ofNanos(nanos)));
                if (room.tryAcquire()) {
                    threads.execute(() -> {
                        serve(action, client, due, time, tally);
                        room.release();
                    });
                } else {
                    tally.ended(Action.Answer.FAILED, due, due);
                }
            });
            pacer.start();
            try {
                Thread.sleep(length);
            } catch (InterruptedException e) {
                threads.shutdownNow();
                throw e;
            } finally {
                pacer.stop();
            }
            threads.shutdown();
            if (!threads.awaitTermination(PATIENCE.toNanos(), TimeUnit.NANOSECONDS)) {
                threads.shutdownNow();
            }
            return tally.result();
        }
    }

    private static void serve(Action action, Client client, long due, SystemTime time, Tally tally) {
        tally.started(due, time.nanoTime());
        try {
            tally.ended(action.run(client), due, time.nanoTime());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            tally.failed(e, due);
        }
    }
}
