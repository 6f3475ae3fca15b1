package dev.headgate.lab.pools;

import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * Threads that fetch a connection, hold it, and close it, again and again.
 *
 * @param threads of the operating system, at least 1
 * @param hold how long each one holds a connection; zero for nothing between
 */
public record FetchLoop(int threads, Duration hold, Duration length) {

    private static final long LONGEST_NANOS = 60_000_000_000L;

    /** How a thread gets a connection. */
    @FunctionalInterface
    public interface Fetch {
        /** Blocks until there is one. Closing it gives it back. */
        Connection get() throws Exception;
    }

    /**
     * What one thread got.
     *
     * @param fetches how many connections
     * @param meanMs it waited for a connection; 0 if it got none
     */
    public record Served(long fetches, double meanMs, double longestMs) {

        static Served of(Histogram waits) {
            return new Served(
                    waits.getTotalCount(),
                    waits.getTotalCount() == 0 ? 0 : waits.getMean() / 1e6,
                    waits.getMaxValue() / 1e6);
        }
    }

    /**
     * What became of it.
     *
     * @param threads the one with the fewest fetches first
     * @param waits of all fetches, in nanoseconds, from the call to the connection
     */
    public record Outcome(List<Served> threads, Histogram waits, double seconds) {

        public Outcome {
            threads = threads.stream()
                    .sorted(Comparator.comparingLong(Served::fetches))
                    .toList();
        }

        public double perSecond() {
            return waits.getTotalCount() / seconds;
        }

        /** Most fetches of a thread by the fewest; a thread that got none counts as if it had one. */
        public double mostByFewest() {
            return (double) threads.getLast().fetches()
                    / Math.max(1, threads.getFirst().fetches());
        }

        public double longestMs() {
            return waits.getMaxValue() / 1e6;
        }
    }

    /**
     * Runs it. Blocks until all threads have ended.
     *
     * @throws IllegalStateException if a fetch failed, with its reason
     */
    public Outcome run(Fetch fetch) throws InterruptedException {
        CountDownLatch ready = new CountDownLatch(threads);
        ExecutorService pool = Executors.newThreadPerTaskExecutor(
                Thread.ofPlatform().daemon().name("lab-fetch-", 0).factory());
        try {
            List<Future<Histogram>> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                all.add(pool.submit(() -> loop(fetch, ready)));
            }
            List<Served> served = new ArrayList<>();
            Histogram waits = new Histogram(LONGEST_NANOS, 3);
            for (Future<Histogram> each : all) {
                served.add(Served.of(each.get()));
                waits.add(each.get());
            }
            return new Outcome(served, waits, length.toNanos() / 1e9);
        } catch (ExecutionException e) {
            throw new IllegalStateException("a fetch failed: " + e.getCause(), e);
        } finally {
            pool.shutdownNow();
        }
    }

    private Histogram loop(Fetch fetch, CountDownLatch ready) throws Exception {
        Histogram waits = new Histogram(LONGEST_NANOS, 3);
        ready.countDown();
        ready.await();
        long now = System.nanoTime();
        long end = now + length.toNanos();
        while (now - end < 0) {
            Connection connection = fetch.get();
            waits.recordValue(Math.clamp(System.nanoTime() - now, 0, LONGEST_NANOS));
            if (hold.isPositive()) {
                LockSupport.parkNanos(connection, hold.toNanos());
            }
            connection.close();
            now = System.nanoTime();
        }
        return waits;
    }
}
