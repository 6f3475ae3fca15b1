package dev.headgate.bench.peers;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** Two hundred callers come at once to a pool of at most ten connections that has none. */
record Storm(PeerServer server) {

    private static final int CALLERS = 200;

    void run(PeersBench.Trial trial) throws Exception {
        try (PeerPool pool = trial.peer().open(server, Settings.between(0, 10))) {
            CountDownLatch ready = new CountDownLatch(CALLERS);
            CountDownLatch go = new CountDownLatch(1);
            List<Long> waits = new ArrayList<>();
            int failed = 0;
            try (var executor = Executors.newThreadPerTaskExecutor(
                    Thread.ofPlatform().daemon().factory())) {
                List<Future<@Nullable Long>> all = new ArrayList<>();
                for (int i = 0; i < CALLERS; i++) {
                    all.add(executor.submit(() -> call(pool, ready, go)));
                }
                ready.await();
                long began = System.nanoTime();
                go.countDown();
                for (Future<@Nullable Long> each : all) {
                    Long ended = each.get();
                    if (ended == null) {
                        failed++;
                    } else {
                        waits.add(ended - began);
                    }
                }
            }
            waits.sort(null);
            trial.entry().add("failed", "%.0f", failed);
            if (!waits.isEmpty()) {
                trial.entry().addMillis("first answered, ms", waits.getFirst());
                trial.entry().addMillis("half answered, ms", waits.get(waits.size() / 2));
                trial.entry().addMillis("last answered, ms", waits.getLast());
            }
        }
    }

    /** When its query was answered, by {@link System#nanoTime}; null if it failed. */
    private static @Nullable Long call(PeerPool pool, CountDownLatch ready, CountDownLatch go)
            throws InterruptedException {
        ready.countDown();
        go.await();
        try (Connection connection = pool.source().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT 1")) {
            row.next();
            return System.nanoTime();
        } catch (SQLException e) {
            return null;
        }
    }
}
