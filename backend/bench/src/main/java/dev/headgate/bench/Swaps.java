package dev.headgate.bench;

import dev.headgate.engine.Lease;
import dev.headgate.engine.Pool;
import dev.headgate.spi.PolicyFactory;
import java.lang.ref.WeakReference;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * A thousand policy swaps under load, every tenth an upgrade to another version of a plugin. Counts failed requests, lost
 * permits and leaks, and checks that each version's class loader is collected after its set is gone. {@code
 * PluginSwapsTest} in backend/server does the same through the REST API, with uploaded jars.
 */
final class Swaps {

    private static final int SWAPS = 1_000;
    private static final int SWAPS_PER_VERSION = 10;
    private static final int THREADS = 16;

    private Swaps() {}

    static void measure() throws Exception {
        try (Subject subject = new Subject(40)) {
            Pool pool = subject.headgate("bank", 4);
            AtomicLong asked = new AtomicLong();
            AtomicLong answered = new AtomicLong();
            AtomicLong failed = new AtomicLong();
            AtomicLong running = new AtomicLong(1);
            Histogram took = new ConcurrentHistogram(60_000_000_000L, 3);
            Histogram swap = new ConcurrentHistogram(60_000_000_000L, 3);
            List<WeakReference<ClassLoader>> loaders = new ArrayList<>();
            try (var threads =
                    Executors.newThreadPerTaskExecutor(Thread.ofVirtual().factory())) {
                List<Future<?>> all = new ArrayList<>();
                for (int i = 0; i < THREADS; i++) {
                    all.add(threads.submit(() -> {
                        while (running.get() > 0) {
                            asked.incrementAndGet();
                            long began = System.nanoTime();
                            try (Lease lease = Subject.borrow(pool);
                                    Statement statement = lease.connection().createStatement();
                                    ResultSet row = statement.executeQuery("SELECT 1")) {
                                row.next();
                                answered.incrementAndGet();
                            } catch (java.sql.SQLException e) {
                                failed.incrementAndGet();
                            }
                            took.recordValue(System.nanoTime() - began);
                        }
                    }));
                }
                PolicyFactory factory = PluginVersion.load();
                for (int i = 0; i < SWAPS; i++) {
                    long began = System.nanoTime();
                    if (i % SWAPS_PER_VERSION == 0) {
                        factory = PluginVersion.load();
                        loaders.add(new WeakReference<>(factory.getClass().getClassLoader()));
                    }
                    pool.swap(PluginVersion.set(factory, 2 + i, i % 3, 1 + i % 10))
                            .toCompletableFuture()
                            .get(10, TimeUnit.SECONDS);
                    swap.recordValue(System.nanoTime() - began);
                    LockSupport.parkNanos(10_000_000);
                }
                pool.swap(PluginVersion.set(factory, 2 + SWAPS, 4, 4))
                        .toCompletableFuture()
                        .get(10, TimeUnit.SECONDS);
                running.set(0);
                for (Future<?> each : all) {
                    each.get();
                }
            }
            long deadline = System.nanoTime() + 5_000_000_000L;
            while (subject.backends("bank") != 4 && System.nanoTime() < deadline) {
                LockSupport.parkNanos(5_000_000);
            }
            deadline = System.nanoTime() + 20_000_000_000L;
            while (alive(loaders) > 1 && System.nanoTime() < deadline) {
                System.gc();
            }
            System.out.printf("%d swaps in turn with %d callers (floor 0..2, ceiling 1..10):%n", SWAPS, THREADS);
            System.out.printf(
                    "  %,d requests, %d failed, %d lost   bar: 0 and 0%n",
                    asked.get(), failed.get(), asked.get() - answered.get() - failed.get());
            System.out.printf(
                    "  in use afterwards %d, connections at the server %d of 4   bar: none leaked%n",
                    pool.status().inUse(), subject.backends("bank"));
            System.out.printf(
                    "  %d versions of a plugin loaded, class loaders left %d, in use 1   bar: as many as in use%n",
                    loaders.size(), alive(loaders));
            System.out.printf(
                    "  a swap takes %.1f ms (p99 %.1f); a request p50 %.2f ms, p99 %.1f ms, longest %.0f ms%n",
                    swap.getMean() / 1e6,
                    swap.getValueAtPercentile(99) / 1e6,
                    took.getValueAtPercentile(50) / 1e6,
                    took.getValueAtPercentile(99) / 1e6,
                    took.getMaxValue() / 1e6);
        }
    }

    private static long alive(List<WeakReference<ClassLoader>> loaders) {
        return loaders.stream().filter(loader -> loader.get() != null).count();
    }
}
