package dev.headgate.server.history;

import dev.headgate.engine.Database;
import dev.headgate.engine.Engine;
import dev.headgate.engine.connect.ServerFacts;
import dev.headgate.engine.connect.Target;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.RepeatedTask;
import java.sql.Timestamp;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

/**
 * What each database's server gave, kept in the control store for as long as decisions are. It looks once a second at what the engine
 * knows, on a thread of its own, and adds a row when that has changed.
 */
@Component
class ServerLog extends RepeatedTask {

    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);
    private static final Duration PRUNE_EVERY = Duration.ofHours(1);

    /** Between two rows of a database that differ only in how many connections others use, which changes all the time. */
    private static final Duration QUIET = Duration.ofMinutes(1);

    private static final Logger LOG = LoggerFactory.getLogger(ServerLog.class);

    /**
     * What a server gave.
     *
     * @param address its host and port
     * @param gives connections that ordinary users may have
     * @param othersUse those that are not Headgate's
     */
    record Given(String address, int gives, int othersUse) {

        static Given of(Target target, ServerFacts facts) {
            return new Given(place(target.host(), target.port()), facts.maxConnections(), facts.othersUse());
        }

        private boolean isAsLarge(Given other) {
            return address.equals(other.address) && gives == other.gives;
        }
    }

    static String place(String host, int port) {
        return host + ":" + port;
    }

    /**
     * A database at the last look.
     *
     * @param facts that the engine knew
     * @param written the last row
     * @param time of that row
     */
    private record Looked(ServerFacts facts, Given written, Instant time) {

        /** Whether these are facts of a former address: the server at the new one has not answered yet. */
        @SuppressWarnings("ReferenceEquality") // every answer of a server makes facts of its own
        boolean isBefore(Given given, ServerFacts now) {
            return facts == now && !given.address.equals(written.address);
        }

        boolean isWorthARow(Given given, Instant now) {
            return !given.equals(written) && (!given.isAsLarge(written) || !now.isBefore(time.plus(QUIET)));
        }
    }

    private final Engine engine;
    private final JdbcTemplate jdbc;
    private final Duration keep;
    private final Clock clock;
    private final Map<String, Looked> looked = new HashMap<>();
    private Instant pruned = Instant.EPOCH;
    private boolean failing;

    ServerLog(Engine engine, JdbcTemplate jdbc, HeadgateProperties properties, Clock clock, Supervisor supervisor) {
        super(supervisor, "headgate-server-log", LOOK_EVERY);
        this.engine = engine;
        this.jdbc = jdbc;
        this.keep = properties.history().decisionRetention();
        this.clock = clock;
    }

    /** What the server of a database gave at an instant; empty if it is not kept. Blocks on the control store. */
    Optional<Given> at(String database, Instant at) {
        return jdbc
                .query(
                        """
                        select address, gives, others_use from server_log
                        where database = ? and time <= ? order by time desc limit 1
                        """,
                        (row, number) ->
                                new Given(row.getString("address"), row.getInt("gives"), row.getInt("others_use")),
                        database,
                        Timestamp.from(at))
                .stream()
                .findFirst();
    }

    @Override
    protected void turn() {
        List<Database> databases = List.copyOf(engine.databases());
        looked.keySet().retainAll(databases.stream().map(Database::name).toList());
        Instant now = clock.instant();
        try {
            for (Database database : databases) {
                ServerFacts facts = database.status().facts().orElse(null);
                if (facts != null) {
                    look(database.target(), facts, now);
                }
            }
            if (pruned.plus(PRUNE_EVERY).isBefore(now)) {
                prune(now);
                pruned = now;
            }
            failing = false;
        } catch (DataAccessException e) {
            if (!failing) {
                LOG.warn("What the servers give cannot be stored now: {}", e.getMessage());
                failing = true;
            }
        }
    }

    private void look(Target target, ServerFacts facts, Instant now) {
        Looked last = looked.get(target.name());
        Given given = Given.of(target, facts);
        if (last == null || (!last.isBefore(given, facts) && last.isWorthARow(given, now))) {
            add(target.name(), given, now);
            looked.put(target.name(), new Looked(facts, given, now));
        } else {
            looked.put(target.name(), new Looked(facts, last.written(), last.time()));
        }
    }

    /** Adds nothing if the database has just been deleted, or is being deleted. */
    void add(String database, Given given, Instant now) {
        jdbc.update("""
                insert into server_log (database, time, address, gives, others_use)
                select name, ?, ?, ?, ? from target where name = ? for key share
                on conflict do nothing
                """, Timestamp.from(now), given.address(), given.gives(), given.othersUse(), database);
    }

    /** Deletes the rows that were in force only before. */
    private void prune(Instant now) {
        jdbc.update("""
                delete from server_log old where exists
                  (select from server_log later where later.database = old.database and later.time > old.time and later.time <= ?)
                """, Timestamp.from(now.minus(keep)));
    }
}
