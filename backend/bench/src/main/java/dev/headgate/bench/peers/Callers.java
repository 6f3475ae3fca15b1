package dev.headgate.bench.peers;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/**
 * Threads that borrow a connection, ask {@code SELECT 1} and return it, until they are stopped, through whatever happens to the
 * server. After a failure a thread rests for 10 ms.
 */
final class Callers {

    private static final long HOLD_NANOS = 1_000_000;
    private static final long REST_NANOS = 10_000_000;

    /** From the request for a connection to its return, by {@link System#nanoTime}. */
    record Call(long began, long ended, boolean failed) {}

    private final DataSource source;
    private final ConcurrentLinkedQueue<Call> calls = new ConcurrentLinkedQueue<>();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean stopping;

    Callers(DataSource source, int count) {
        this.source = source;
        for (int i = 0; i < count; i++) {
            threads.add(Thread.ofPlatform().daemon().start(this::loop));
        }
    }

    private void loop() {
        while (!stopping) {
            long began = System.nanoTime();
            boolean failed = false;
            try (Connection connection = source.getConnection();
                    Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SELECT 1")) {
                row.next();
                LockSupport.parkNanos(HOLD_NANOS);
            } catch (SQLException e) {
                failed = true;
            }
            calls.add(new Call(began, System.nanoTime(), failed));
            if (failed) {
                LockSupport.parkNanos(REST_NANOS);
            }
        }
    }

    /** All calls since this instant that have ended. */
    List<Call> since(long nanos) {
        return calls.stream().filter(each -> each.ended() - nanos >= 0).toList();
    }

    /** Ends the threads, each after its present call. */
    void stop() throws InterruptedException {
        stopping = true;
        for (Thread each : threads) {
            each.join();
        }
    }
}
