package dev.headgate.bench.peers;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/** Hurts the server under eight callers on four connections. Callers wait for 2 s at most: for a connection, and for an answer. */
record Faults(PeerServer server) {

    private static final int CONNECTIONS = 4;
    private static final int CALLERS = 8;
    private static final Settings SETTINGS = Settings.fixed(CONNECTIONS).withDeadline(Duration.ofSeconds(2));
    private static final Duration BEFORE = Duration.ofMillis(700);
    private static final Duration HUNG = Duration.ofSeconds(6);
    private static final Duration DOWN = Duration.ofSeconds(1);

    /** After which it is said that something does not happen. */
    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private static final Duration LOOK = Duration.ofMillis(2);

    /** Nothing happens: classes are loaded, and the compiler begins. */
    void none(Peer peer) throws Exception {
        try (PeerPool pool = peer.open(server, SETTINGS)) {
            Callers callers = new Callers(pool.source(), CALLERS);
            Thread.sleep(BEFORE);
            callers.stop();
        }
    }

    /** All backends of the pool are stopped for six seconds. The server accepts new connections. */
    void hung(PeersBench.Trial trial) throws Exception {
        try (PeerPool pool = trial.peer().open(server, SETTINGS)) {
            Callers callers = new Callers(pool.source(), CALLERS);
            Thread.sleep(BEFORE);
            Set<Long> backends = server.backends(pool.application());
            long began = System.nanoTime();
            PeerServer.signal("STOP", backends);
            long stopped = System.nanoTime();
            try {
                Thread.sleep(HUNG);
            } finally {
                PeerServer.signal("CONT", backends);
            }
            callers.stop();
            List<Callers.Call> calls = callers.since(began);
            long longest = calls.stream()
                    .mapToLong(each -> each.ended() - each.began())
                    .max()
                    .orElse(0);
            trial.entry().addMillis("longest call, ms", longest);
            failures(trial, calls);
            long served = calls.stream()
                    .filter(each -> !each.failed() && each.began() - stopped > 0)
                    .mapToLong(each -> each.ended() - stopped)
                    .min()
                    .orElse(Long.MAX_VALUE);
            reached(trial, "served again, ms", served);
        }
    }

    /** All backends of the pool are terminated. */
    void killed(PeersBench.Trial trial) throws Exception {
        try (PeerPool pool = trial.peer().open(server, SETTINGS)) {
            Callers callers = new Callers(pool.source(), CALLERS);
            Thread.sleep(BEFORE);
            Set<Long> former = server.backends(pool.application());
            long began = System.nanoTime();
            server.terminate(former);
            recovery(trial, pool, callers, former, began, began);
        }
    }

    /** The server crashes, is down for a second, and starts. */
    void restart(PeersBench.Trial trial) throws Exception {
        try (PeerPool pool = trial.peer().open(server, SETTINGS)) {
            Callers callers = new Callers(pool.source(), CALLERS);
            Thread.sleep(BEFORE);
            Set<Long> former = server.backends(pool.application());
            long began = System.nanoTime();
            server.kill();
            Thread.sleep(DOWN);
            server.restart();
            recovery(trial, pool, callers, former, began, System.nanoTime());
        }
    }

    /** @param from when it can begin to recover */
    private void recovery(
            PeersBench.Trial trial, PeerPool pool, Callers callers, Set<Long> former, long began, long from)
            throws Exception {
        long full = full(pool, former, from);
        Thread.sleep(BEFORE);
        callers.stop();
        List<Callers.Call> calls = callers.since(began);
        failures(trial, calls);
        long lastFailure = calls.stream()
                .filter(Callers.Call::failed)
                .mapToLong(each -> each.ended() - from)
                .max()
                .orElse(0);
        long firstServed = calls.stream()
                .filter(each -> !each.failed() && each.ended() - from > 0)
                .mapToLong(each -> each.ended() - from)
                .min()
                .orElse(Long.MAX_VALUE);
        reached(trial, "first served, ms", firstServed);
        reached(trial, "last failure, ms", Math.max(0, lastFailure));
        reached(trial, "all connections and no more failures, ms", Math.max(full, lastFailure));
        trial.entry()
                .addMillis(
                        "longest call, ms",
                        calls.stream()
                                .mapToLong(each -> each.ended() - each.began())
                                .max()
                                .orElse(0));
    }

    /** Nanoseconds until the server has as many new backends of the pool as it had; the most if that takes too long. */
    private long full(PeerPool pool, Set<Long> former, long from) throws SQLException {
        try (Connection beside = server.beside()) {
            while (System.nanoTime() - from < PATIENCE.toNanos()) {
                Set<Long> fresh = new HashSet<>(PeerServer.backends(beside, pool.application()));
                fresh.removeAll(former);
                if (fresh.size() >= CONNECTIONS) {
                    return System.nanoTime() - from;
                }
                LockSupport.parkNanos(LOOK.toNanos());
            }
        }
        return Long.MAX_VALUE;
    }

    private static void failures(PeersBench.Trial trial, List<Callers.Call> calls) {
        trial.entry()
                .add(
                        "failed calls",
                        "%.0f",
                        calls.stream().filter(Callers.Call::failed).count());
    }

    private static void reached(PeersBench.Trial trial, String measure, long nanos) {
        if (nanos == Long.MAX_VALUE) {
            trial.entry().never(measure);
        } else {
            trial.entry().addMillis(measure, nanos);
        }
    }
}
