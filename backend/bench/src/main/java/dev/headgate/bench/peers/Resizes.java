package dev.headgate.bench.peers;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/** Changes a pool's size while it is in use. */
record Resizes(PeerServer server) {

    private static final long PATIENCE_NANOS = 3_000_000_000L;
    private static final long LOOK_NANOS = 1_000_000;
    private static final int WAITERS = 8;

    /** Eight callers wait for a pool of two, which is raised to ten. */
    void raise(PeersBench.Trial trial) throws Exception {
        try (PeerPool pool = trial.peer().open(server, Settings.fixed(2))) {
            List<Connection> held =
                    List.of(pool.source().getConnection(), pool.source().getConnection());
            ConcurrentLinkedQueue<Long> served = new ConcurrentLinkedQueue<>();
            List<Thread> waiters = new ArrayList<>();
            for (int i = 0; i < WAITERS; i++) {
                waiters.add(Thread.ofPlatform().daemon().start(() -> {
                    try {
                        Connection connection = pool.source().getConnection();
                        served.add(System.nanoTime());
                        LockSupport.parkNanos(PATIENCE_NANOS);
                        connection.close();
                    } catch (SQLException e) {
                        // it is not served, which is counted
                    }
                }));
            }
            while (!waiters.stream().allMatch(Resizes::isParked)) {
                LockSupport.parkNanos(LOOK_NANOS);
            }
            LockSupport.parkNanos(100 * LOOK_NANOS);
            long raised = System.nanoTime();
            int reached = 0;
            if (resized(pool, 2, 2 + WAITERS)) {
                while (served.size() < WAITERS && System.nanoTime() - raised < PATIENCE_NANOS) {
                    LockSupport.parkNanos(LOOK_NANOS);
                }
                reached = served.size();
            }
            List<Long> times = served.stream().limit(reached).sorted().toList();
            trial.entry().add("of 8 waiters, served within 3 s", "%.0f", reached);
            if (times.isEmpty()) {
                trial.entry().never("first served, ms");
            } else {
                trial.entry().addMillis("first served, ms", times.getFirst() - raised);
            }
            if (times.size() < WAITERS) {
                trial.entry().never("last served, ms");
            } else {
                trial.entry().addMillis("last served, ms", times.getLast() - raised);
            }
            for (Connection each : held) {
                each.close();
            }
            for (Thread waiter : waiters) {
                LockSupport.unpark(waiter);
                waiter.interrupt();
                waiter.join();
            }
        }
    }

    private static boolean isParked(Thread thread) {
        return switch (thread.getState()) {
            case WAITING, TIMED_WAITING -> true;
            default -> false;
        };
    }

    /** An idle pool of twenty is lowered to five. */
    void lower(PeersBench.Trial trial) throws Exception {
        try (PeerPool pool = trial.peer().open(server, Settings.fixed(20));
                Connection beside = server.beside()) {
            long lowered = System.nanoTime();
            boolean can = resized(pool, 0, 5);
            int left = 20;
            while (can && left > 5 && System.nanoTime() - lowered < PATIENCE_NANOS) {
                LockSupport.parkNanos(LOOK_NANOS);
                left = PeerServer.backends(beside, pool.application()).size();
            }
            trial.entry().add("connections left, after 3 s at most", "%.0f", left);
            if (left > 5) {
                trial.entry().never("the server has five, ms");
            } else {
                trial.entry().addMillis("the server has five, ms", System.nanoTime() - lowered);
            }
        }
    }

    private static boolean resized(PeerPool pool, int least, int most) throws SQLException {
        try {
            pool.resize(least, most);
            return true;
        } catch (UnsupportedOperationException e) {
            return false;
        }
    }
}
