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

    private RaisedCeiling() {}

    static void measure() throws Exception {
        try (Subject subject = new Subject(40)) {
            double[] first = new double[ROUNDS];
            double[] gap = new double[ROUNDS];
            double[] last = new double[ROUNDS];
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
                first[round] = (times.getFirst() - raised) / 1e6;
                last[round] = (times.getLast() - raised) / 1e6;
                for (int i = 1; i < times.size(); i++) {
                    gap[round] = Math.max(gap[round], (times.get(i) - times.get(i - 1)) / 1e6);
                }
                leases.forEach(Lease::close);
                subject.database.close(domain).toCompletableFuture().get(20, TimeUnit.SECONDS);
            }
            System.out.println("ceiling raised 2 to 10 with 8 parked waiters, ms, " + ROUNDS + " runs:");
            System.out.println("  one connect takes        " + new Figures(connects(subject)).show("%.1f"));
            System.out.println(
                    "  first served after       " + new Figures(first).show("%.1f") + "   bar: 50 plus one connect");
            System.out.println("  longest gap to the next  " + new Figures(gap).show("%.1f") + "   bar: 50");
            System.out.println("  all eight served after   " + new Figures(last).show("%.1f"));
            System.out.println("  bare HikariCP, maximum raised the same way: " + bare(subject));
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

    private static String bare(Subject subject) throws Exception {
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
        LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(5));
        String result = served.size() + " of 8 served within 5 s";
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
