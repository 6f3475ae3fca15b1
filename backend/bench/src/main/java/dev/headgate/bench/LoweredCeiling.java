package dev.headgate.bench;

import com.zaxxer.hikari.HikariDataSource;
import dev.headgate.engine.Pool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Lowers the ceiling of an idle pool from twenty to five and measures when the server has five connections. */
final class LoweredCeiling {

    private static final int ROUNDS = 7;
    private static final String ROW = "ceiling lowered 20 to 5 on an idle pool";
    private static final String MILLIS = "ms until pg_stat_activity shows five";

    private LoweredCeiling() {}

    static void measure(Sheet sheet) throws Exception {
        try (Subject subject = new Subject(40)) {
            Sheet.Entry headgate = sheet.entry(ROW, "Headgate");
            for (int round = 0; round < ROUNDS; round++) {
                String domain = "lower" + round;
                Pool pool = subject.headgate(domain, 20);
                long lowered = System.nanoTime();
                pool.swap(Subject.fixed(2, 0, 5)).toCompletableFuture().get(10, TimeUnit.SECONDS);
                while (subject.backends(domain) > 5) {
                    LockSupport.parkNanos(1_000_000);
                }
                headgate.add(MILLIS, "%.0f", (System.nanoTime() - lowered) / 1e6);
                subject.database.close(domain).toCompletableFuture().get(20, TimeUnit.SECONDS);
            }
            headgate.bar(MILLIS, "at most 500");
            HikariDataSource hikari = subject.hikari(20);
            hikari.getHikariConfigMXBean().setMinimumIdle(5);
            hikari.getHikariConfigMXBean().setMaximumPoolSize(5);
            LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(5));
            sheet.entry(ROW, "bare HikariCP")
                    .add(
                            "connections 5 s later",
                            "%.0f",
                            hikari.getHikariPoolMXBean().getTotalConnections());
        }
    }
}
