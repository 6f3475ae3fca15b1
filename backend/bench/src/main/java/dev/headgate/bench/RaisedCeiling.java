package dev.headgate.bench;

import com.zaxxer.hikari.HikariDataSource;
import dev.headgate.engine.Lease;
import dev.headgate.engine.LeaseRequest;
import dev.headgate.engine.Pool;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Eight requests wait for a pool of two. Raises its ceiling to ten and measures when each is served. */
final class RaisedCeiling {

    private static final int ROUNDS = 7;
    private static final String ROW = "ceiling raised 2 to 10, 8 parked waiters";
    private static final long SERVED_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final String SERVED = "served within 5 s";
    private static final String FIRST = "first served, ms";
    private static final String GAP = "longest gap to the next, ms";

    private RaisedCeiling() {}

    static void measure(Sheet sheet) throws Exception {
        try (Subject subject = new Subject(40)) {
            Sheet.Entry headgate = sheet.entry(ROW, "Headgate");
            for (int round = 0; round < ROUNDS; round++) {
                String domain = "raise" + round;
                Pool pool = subject.headgate(domain, 2);
                List<Lease> held = List.of(Subject.borrow(pool), Subject.borrow(pool));
                ConcurrentLinkedQueue<Long> served = new ConcurrentLinkedQueue<>();
                ConcurrentLinkedQueue<Lease> leases = new ConcurrentLinkedQueue<>(held);
                List<CompletableFuture<?>> waiting = new ArrayList<>();
                for (int i = 0; i < 8; i++) {
                    waiting.add(pool.acquireAsync(LeaseRequest.by("waiter"))
                            .thenAccept(lease -> {
                                served.add(System.nanoTime());
                                leases.add(lease);
                            })
                            .toCompletableFuture());
                }
                while (pool.status().waiting() < 8) {
                    LockSupport.parkNanos(1_000_000);
                }
                long raised = System.nanoTime();
                pool.swap(Subject.fixed(2, 2, 10)).toCompletableFuture().get(10, TimeUnit.SECONDS);
                CompletableFuture.allOf(waiting.toArray(CompletableFuture[]::new))
                        .get(30, TimeUnit.SECONDS);
                List<Long> times = served.stream().sorted().toList();
                long gap = 0;
                for (int i = 1; i < times.size(); i++) {
                    gap = Math.max(gap, times.get(i) - times.get(i - 1));
                }
                headgate.add(
                        SERVED,
                        "%.0f",
                        times.stream()
                                .filter(each -> each - raised <= SERVED_NANOS)
                                .count());
                headgate.addMillis(FIRST, times.getFirst() - raised);
                headgate.addMillis(GAP, gap);
                headgate.addMillis("all eight served, ms", times.getLast() - raised);
                leases.forEach(Lease::close);
                subject.database.close(domain).toCompletableFuture().get(20, TimeUnit.SECONDS);
            }
            headgate.bar(FIRST, "50 and one connect");
            headgate.bar(GAP, "50");
            headgate.add("one connect, ms", "%.1f", connects(subject));
            sheet.entry(ROW, "bare HikariCP").add(SERVED, "%.0f", bare(subject));
        }
    }

    private static double[] connects(Subject subject) throws Exception {
        double[] took = new double[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            long began = System.nanoTime();
            try (Connection connection = subject.server.getPostgresDatabase().getConnection()) {
                took[i] = (System.nanoTime() - began) / 1e6;
                connection.isValid(1);
            }
        }
        return took;
    }

    /** Returns how many of the eight are served within 5 s. */
    private static int bare(Subject subject) throws Exception {
        HikariDataSource hikari = subject.hikari(2);
        List<Connection> held = List.of(hikari.getConnection(), hikari.getConnection());
        ConcurrentLinkedQueue<Connection> served = new ConcurrentLinkedQueue<>();
        List<Thread> waiters = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            waiters.add(Thread.ofPlatform().daemon().start(() -> {
                try {
                    served.add(hikari.getConnection());
                } catch (java.sql.SQLException e) {
                    // a request that times out is a result too
                }
            }));
        }
        while (hikari.getHikariPoolMXBean().getThreadsAwaitingConnection() < 8) {
            LockSupport.parkNanos(1_000_000);
        }
        hikari.getHikariConfigMXBean().setMaximumPoolSize(10);
        LockSupport.parkNanos(SERVED_NANOS);
        int result = served.size();
        for (Connection connection : held) {
            connection.close();
        }
        for (Thread waiter : waiters) {
            waiter.interrupt();
            waiter.join();
        }
        for (Connection connection : served) {
            connection.close();
        }
        return result;
    }
}
