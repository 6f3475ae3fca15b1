package dev.headgate.bench.peers;

import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/**
 * Threads that borrow a connection, hold it and return it, again and again.
 *
 * @param hold nothing, or how long each one holds a connection
 */
record Borrowers(int threads, Duration hold, Duration length) {

    private record Share(long borrows, long longestNanos) {}

    /**
     * What became of it.
     *
     * @param borrows of each thread
     * @param longestNanos the longest wait for a connection
     */
    record Outcome(List<Long> borrows, long longestNanos, Duration length) {

        double perSecond() {
            return borrows.stream().mapToLong(Long::longValue).sum() / (length.toNanos() / 1e9);
        }

        /** How long a thread takes for one. */
        double nanosEach() {
            return borrows.size() * 1e9 / perSecond();
        }

        /** Of a thread with none as if it had one. */
        double mostByFewest() {
            return (double) Collections.max(borrows) / Math.max(1, Collections.min(borrows));
        }
    }

    /** Blocks until all threads have ended. */
    Outcome run(DataSource source) throws Exception {
        CountDownLatch ready = new CountDownLatch(threads);
        try (var executor =
                Executors.newThreadPerTaskExecutor(Thread.ofPlatform().daemon().factory())) {
            List<Future<Share>> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                all.add(executor.submit(() -> loop(source, ready)));
            }
            List<Long> borrows = new ArrayList<>();
            long longest = 0;
            for (Future<Share> each : all) {
                borrows.add(each.get().borrows());
                longest = Math.max(longest, each.get().longestNanos());
            }
            return new Outcome(borrows, longest, length);
        }
    }

    private Share loop(DataSource source, CountDownLatch ready) throws Exception {
        ready.countDown();
        ready.await();
        long now = System.nanoTime();
        long end = now + length.toNanos();
        long borrows = 0;
        long longest = 0;
        while (now - end < 0) {
            try (Connection connection = source.getConnection()) {
                longest = Math.max(longest, System.nanoTime() - now);
                if (hold.isPositive()) {
                    LockSupport.parkNanos(connection, hold.toNanos());
                }
            }
            borrows++;
            now = System.nanoTime();
        }
        return new Share(borrows, longest);
    }
}
