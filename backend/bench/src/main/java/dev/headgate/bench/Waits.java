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
    private static final String ROW = "32 threads on 4 connections, 1 ms holds";
    private static final String P99 = "p99 of the wait, ms";
    private static final String BORROWS = "borrows";

    private Waits() {}

    private interface Borrowing {
        AutoCloseable borrow() throws Exception;
    }

    static void measure(Sheet sheet) throws Exception {
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
            Sheet.Entry headgate = sheet.entry(ROW, "Headgate");
            Sheet.Entry bare = sheet.entry(ROW, "bare HikariCP");
            for (int i = 0; i < ROUNDS; i++) {
                note(headgate, run(ours, SECONDS));
                note(bare, run(theirs, SECONDS));
            }
            headgate.bar(P99, "at most 9");
            bare.timesRunByRun(headgate, P99, "at least 5");
            headgate.timesRunByRun(bare, BORROWS);
        }
    }

    private static void note(Sheet.Entry entry, Histogram waits) {
        entry.add(P99, "%.1f", waits.getValueAtPercentile(99) / 1e6);
        entry.add("longest wait, ms", "%.1f", waits.getMaxValue() / 1e6);
        entry.add(BORROWS, "%.0f", waits.getTotalCount());
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
