package dev.headgate.server.annotations;

import dev.headgate.engine.Database;
import dev.headgate.engine.DatabaseStatus;
import dev.headgate.engine.Engine;
import dev.headgate.engine.connect.ServerFacts;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.server.RepeatedTask;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.stereotype.Component;
import org.springframework.transaction.TransactionException;

/**
 * Marks the charts of a database's domains when it was away and came back, and when another server answers for it: restarted, promoted,
 * or at another address. It looks once a second at what the engine knows, on a thread of its own. What cannot be stored waits, within a
 * bound.
 */
@Component
class Failovers extends RepeatedTask {

    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);

    /** Of marks of one database: one that comes and goes is marked once in this time. */
    private static final Duration QUIET = Duration.ofMinutes(1);

    /** Of marks for another server without an absence: an address may stand for several servers in turn. */
    private static final Duration QUIET_OF_CHANGES = Duration.ofMinutes(10);

    private static final int MOST_WAITING = 100;

    private static final Logger LOG = LoggerFactory.getLogger(Failovers.class);

    /**
     * What was known of a database.
     *
     * @param away why and since when it cannot be reached; null while it can
     * @param server that answered last; null before the first answer
     * @param marked when its charts were marked last
     */
    private record Known(
            DatabaseStatus.@Nullable Unreachable away, ServerFacts.@Nullable Server server, Instant marked) {}

    private record Mark(Instant time, String text, String database) {}

    private final Engine engine;
    private final Annotations annotations;
    private final Clock clock;
    private final Map<String, Known> known = new HashMap<>();
    private final Deque<Mark> waiting = new ArrayDeque<>();
    private boolean failing;

    Failovers(Engine engine, Annotations annotations, Clock clock, Supervisor supervisor) {
        super(supervisor, "headgate-failovers", LOOK_EVERY);
        this.engine = engine;
        this.annotations = annotations;
        this.clock = clock;
    }

    /** Looks at every database, and stores what there is to mark. One thread at a time. */
    @Override
    protected void turn() {
        List<Database> databases = List.copyOf(engine.databases());
        known.keySet().retainAll(databases.stream().map(Database::name).toList());
        databases.forEach(this::look);
        try {
            for (Mark next = waiting.peekFirst(); next != null; next = waiting.peekFirst()) {
                annotations.markFailover(next.time(), next.text(), next.database());
                waiting.removeFirst();
            }
            failing = false;
        } catch (DataAccessException | TransactionException e) {
            if (!failing) {
                LOG.warn("A failover cannot be marked now: {}", e.getMessage());
                failing = true;
            }
        }
    }

    private void look(Database database) {
        DatabaseStatus status = database.status();
        Known before = known.getOrDefault(database.name(), new Known(null, null, Instant.EPOCH));
        DatabaseStatus.Unreachable away = before.away();
        ServerFacts.Server latest = status.facts().map(ServerFacts::server).orElse(null);
        if (status.unreachable().isPresent()) {
            known.put(
                    database.name(),
                    away == null
                            ? new Known(
                                    status.unreachable().get(),
                                    before.server() == null ? latest : before.server(),
                                    before.marked())
                            : before);
            return;
        }
        ServerFacts.Server server = away == null ? latest : ask(database);
        if (server == null) {
            return;
        }
        String change = change(before.server(), server);
        Instant now = clock.instant();
        Instant quietUntil = before.marked().plus(away == null ? QUIET_OF_CHANGES : QUIET);
        boolean marks = (away != null || !change.isEmpty()) && !now.isBefore(quietUntil);
        if (marks) {
            Instant time = away != null ? away.since() : change.startsWith("restarted") ? server.startedAt() : now;
            add(new Mark(time, sentence(database.name(), away, now, change), database.name()));
        }
        known.put(database.name(), new Known(null, server, marks ? now : before.marked()));
    }

    /** Who answers now; null if nobody does. */
    private static ServerFacts.@Nullable Server ask(Database database) {
        try {
            return database.probe().server();
        } catch (SQLException e) {
            return null; // it is still away
        }
    }

    private void add(Mark mark) {
        if (waiting.size() == MOST_WAITING) {
            waiting.removeFirst();
        }
        waiting.addLast(mark);
    }

    private static String sentence(
            String database, DatabaseStatus.@Nullable Unreachable away, Instant now, String change) {
        if (away == null) {
            return database + " was " + change + ".";
        }
        long seconds = Math.max(1, Duration.between(away.since(), now).toSeconds());
        return database + " was away for " + seconds + " s" + (change.isEmpty() ? "" : ", and was " + change) + ".";
    }

    /** What became of the server; empty if it is as it was. */
    static String change(ServerFacts.@Nullable Server before, ServerFacts.Server now) {
        if (before == null || before.equals(now)) {
            return "";
        }
        if (!before.address().equals(now.address())) {
            return "moved from the server " + before.address() + " to " + now.address()
                    + (now.standby() ? ", a standby" : "");
        }
        if (before.standby() != now.standby()) {
            return now.standby() ? "made a standby" : "promoted to primary";
        }
        return "restarted";
    }
}
