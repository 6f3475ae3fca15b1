package dev.headgate.lab.policies;

import dev.headgate.engine.Database;
import dev.headgate.engine.Engine;
import dev.headgate.engine.EngineListener;
import dev.headgate.engine.Pool;
import dev.headgate.engine.connect.Target;
import dev.headgate.engine.governor.PolicySet;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.lab.Application;
import dev.headgate.lab.experiment.Laboratory;
import dev.headgate.spi.Limits;
import dev.headgate.spi.WhenExhausted;
import dev.headgate.spi.Window;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Pools of an engine of the experiment's own on one database, and the windows that were measured on them. */
final class MeasuredPools implements AutoCloseable {

    /** A second may be longer by a part of a window, and an incomplete one does not count. */
    private static final Duration SLACK = Duration.ofMillis(300);

    private final Engine engine;
    private final Database database;

    /** By domain. Guarded by itself. */
    private final Map<String, List<Window>> windows = new HashMap<>();

    private MeasuredPools(Target target, Supervisor supervisor) {
        EngineListener listener = new EngineListener() {
            @Override
            public void window(Pool pool, Instant end, Window window) {
                synchronized (windows) {
                    windows.computeIfAbsent(pool.domain(), domain -> new ArrayList<>())
                            .add(window);
                }
            }
        };
        this.engine = Engine.start("lab", listener, supervisor);
        this.database = engine.open(target);
    }

    /** A database with the tables of some applications. Blocks for about a second. */
    static Target prepare(Laboratory laboratory, String name, int budget, List<Application> applications)
            throws SQLException {
        Target target = laboratory.database(name, budget);
        try (Connection connection = Laboratory.connect(target)) {
            for (Application application : applications) {
                application.setUp(connection);
            }
        }
        return target;
    }

    /** @param supervisor receives the failures of the engine's threads */
    static MeasuredPools on(Target target, Supervisor supervisor) {
        return new MeasuredPools(target, supervisor);
    }

    Database database() {
        return database;
    }

    Pool open(String domain, WhenExhausted whenExhausted, PolicySet.Member... members) {
        return database.open(domain, PolicySet.of(1, whenExhausted, members));
    }

    /** A policy that lets a pool have so many connections. */
    static PolicySet.Member between(int least, int most) {
        Limits limits = Limits.unbounded().withFloor(least).withCeiling(most).because("set by the experiment");
        return new PolicySet.Member("experiment", view -> limits);
    }

    /** How long a load takes that fills so many whole seconds. */
    static Duration filling(int seconds) {
        return Duration.ofSeconds(seconds).plus(SLACK);
    }

    /** Forgets what was measured until now. */
    void forget() {
        synchronized (windows) {
            windows.clear();
        }
    }

    /** What was measured on a domain since {@link #forget}, second by second. */
    Seconds seconds(String domain) {
        return seconds(domain, Duration.ZERO);
    }

    /** The same, without the first part of that time. */
    Seconds seconds(String domain, Duration warmUp) {
        synchronized (windows) {
            List<Window> all = windows.getOrDefault(domain, List.of());
            long left = warmUp.toNanos();
            int first = 0;
            while (left > 0 && first < all.size()) {
                left -= all.get(first++).lengthNanos();
            }
            return Seconds.of(all.subList(first, all.size()));
        }
    }

    @Override
    public void close() {
        engine.close();
    }
}
