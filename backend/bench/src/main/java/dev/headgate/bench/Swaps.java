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

    static void measure(Sheet sheet) throws Exception {
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
            Sheet.Entry headgate = sheet.entry(SWAPS + " swaps in turn, " + THREADS + " callers", "Headgate");
            headgate.add("requests", "%,.0f", asked.get());
            headgate.add("failed", "%.0f", "0", failed.get());
            headgate.add("lost", "%.0f", "0", asked.get() - answered.get() - failed.get());
            headgate.add("in use afterwards", "%.0f", "0", pool.status().inUse());
            headgate.add("connections at the server", "%.0f", "4", subject.backends("bank"));
            headgate.add("versions of a plugin loaded", "%.0f", loaders.size());
            headgate.add("class loaders left", "%.0f", "1, the one in use", alive(loaders));
            headgate.add("a swap, mean, ms", "%.1f", swap.getMean() / 1e6);
            headgate.add("a swap, p99, ms", "%.1f", swap.getValueAtPercentile(99) / 1e6);
            headgate.add("a request, p50, ms", "%.2f", took.getValueAtPercentile(50) / 1e6);
            headgate.add("a request, p99, ms", "%.1f", took.getValueAtPercentile(99) / 1e6);
            headgate.add("longest request, ms", "%.0f", took.getMaxValue() / 1e6);
        }
    }

    private static long alive(List<WeakReference<ClassLoader>> loaders) {
        return loaders.stream().filter(loader -> loader.get() != null).count();
    }
}
