package dev.headgate.bench;

import com.zaxxer.hikari.HikariDataSource;
import dev.headgate.engine.Lease;
import dev.headgate.engine.Pool;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** How long 32 threads wait for 4 connections, with hold times of 1 ms. */
final class Waits {

    private static final int THREADS = 32;
    private static final int CONNECTIONS = 4;
    private static final int ROUNDS = 5;
    private static final long SECONDS = 5;

    private Waits() {}

    private interface Borrowing {
        AutoCloseable borrow() throws Exception;
    }

    static void measure() throws Exception {
        try (Subject subject = new Subject(30)) {
            Pool pool = subject.headgate("bank", CONNECTIONS);
            HikariDataSource hikari = subject.hikari(CONNECTIONS);
            Borrowing ours = () -> {
                Lease lease = Subject.borrow(pool);
                return lease::close;
            };
            Borrowing theirs = () -> {
                Connection connection = hikari.getConnection();
                return connection::close;
            };
            run(ours, 2);
            run(theirs, 2);
            double[] ourP99 = new double[ROUNDS];
            double[] theirP99 = new double[ROUNDS];
            double[] ourMax = new double[ROUNDS];
            double[] theirMax = new double[ROUNDS];
            double[] throughput = new double[ROUNDS];
            for (int i = 0; i < ROUNDS; i++) {
                Histogram a = run(ours, SECONDS);
                Histogram b = run(theirs, SECONDS);
                ourP99[i] = a.getValueAtPercentile(99) / 1e6;
                theirP99[i] = b.getValueAtPercentile(99) / 1e6;
                ourMax[i] = a.getMaxValue() / 1e6;
                theirMax[i] = b.getMaxValue() / 1e6;
                throughput[i] = (double) a.getTotalCount() / b.getTotalCount();
            }
            System.out.println(
                    "32 threads on 4 connections, 1 ms holds, ms waited, " + ROUNDS + " interleaved runs of 5 s:");
            System.out.println("  p99 headgate      " + new Figures(ourP99).show("%.1f") + "   bar: at most 9");
            System.out.println("  p99 bare HikariCP " + new Figures(theirP99).show("%.1f"));
            System.out.println(
                    "  p99 bare / headgate " + Figures.ratio(theirP99, ourP99).show("%.1f") + "   bar: at least 5");
            System.out.println("  longest headgate      " + new Figures(ourMax).show("%.1f"));
            System.out.println("  longest bare HikariCP " + new Figures(theirMax).show("%.1f"));
            System.out.println("  throughput headgate / bare " + new Figures(throughput).show("%.2f"));
        }
    }

    private static Histogram run(Borrowing borrowing, long seconds) throws Exception {
        Histogram waits = new ConcurrentHistogram(60_000_000_000L, 3);
        long end = System.nanoTime() + seconds * 1_000_000_000L;
        try (var threads =
                Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                Callable<Object> loop = () -> {
                    while (System.nanoTime() < end) {
                        long began = System.nanoTime();
                        try (AutoCloseable held = borrowing.borrow()) {
                            waits.recordValue(System.nanoTime() - began);
                            LockSupport.parkNanos(held, 1_000_000);
                        }
                    }
                    return null;
                };
                all.add(threads.submit(loop));
            }
            for (Future<?> each : all) {
                each.get();
            }
        }
        return waits;
    }
}
