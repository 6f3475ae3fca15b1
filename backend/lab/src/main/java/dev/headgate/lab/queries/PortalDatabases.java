package dev.headgate.lab.queries;

import dev.headgate.engine.Pool;
import dev.headgate.engine.connect.Target;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.lab.experiment.Laboratory;
import dev.headgate.lab.link.DelayedLink;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The four databases of a portal: two with contacts, and two with the log of a day's accesses. */
final class PortalDatabases implements AutoCloseable {

    /** A contact by its key; the key is returned too, so that answers can be checked. */
    static final String CONTACT = "SELECT id, name, phone FROM contacts WHERE id = $1";

    /** The accesses of the hour that begins so many hours after the day. */
    static final String ACCESSES =
            "SELECT count(*) FROM (SELECT TIMESTAMP '2026-01-01' + make_interval(hours => $1) AS begins) AS hour"
                    + " JOIN accesses ON at >= begins AND at < begins + interval '1 hour'";

    static final int CONTACTS = 20_000;
    static final int HOURS = 24;
    static final int ACCESSES_PER_HOUR = 1_800;

    /** Each of the kinds. */
    static final int EACH = 2;

    private final QueryEngine engine;
    private final List<Pool> contacts = new ArrayList<>();
    private final List<Pool> accesses = new ArrayList<>();

    private final int connections;

    private PortalDatabases(int connections, Supervisor supervisor) throws IOException {
        this.engine = new QueryEngine(supervisor);
        this.connections = connections;
    }

    /** Makes them; blocks for a second. */
    static List<Target> prepare(Laboratory laboratory, int connections) throws SQLException {
        List<Target> targets = new ArrayList<>();
        for (int i = 0; i < EACH; i++) {
            targets.add(prepare(
                    laboratory,
                    "contacts" + i,
                    connections,
                    "CREATE TABLE contacts (id int PRIMARY KEY, name text NOT NULL, phone text NOT NULL)",
                    "INSERT INTO contacts SELECT n, 'contact ' || n, '+1 555 ' || n FROM generate_series(1, " + CONTACTS
                            + ") n",
                    "VACUUM ANALYZE contacts"));
        }
        for (int i = 0; i < EACH; i++) {
            targets.add(prepare(
                    laboratory,
                    "accesses" + i,
                    connections,
                    "CREATE TABLE accesses (at timestamp NOT NULL, path text NOT NULL)",
                    "INSERT INTO accesses SELECT TIMESTAMP '2026-01-01' + n * interval '2 seconds', '/page/' || n % 50"
                            + " FROM generate_series(0, " + (HOURS * ACCESSES_PER_HOUR - 1) + ") n",
                    "CREATE INDEX ON accesses (at)",
                    "VACUUM ANALYZE accesses"));
        }
        return targets;
    }

    private static Target prepare(Laboratory laboratory, String name, int connections, String... statements)
            throws SQLException {
        Target target = laboratory.database(name, connections + 2);
        try (Connection connection = Laboratory.connect(target);
                Statement statement = connection.createStatement()) {
            for (String each : statements) {
                statement.execute(each);
            }
        }
        return target;
    }

    /**
     * Opens a pool on each; blocks until all connections are open.
     *
     * @param targets as {@link #prepare} made them
     * @param link through which they are reached; null for none
     * @param supervisor receives the failures of the engine's threads
     */
    static PortalDatabases open(
            List<Target> targets, @Nullable DelayedLink link, int connections, Supervisor supervisor)
            throws IOException, InterruptedException {
        PortalDatabases databases = new PortalDatabases(connections, supervisor);
        try {
            for (int i = 0; i < targets.size(); i++) {
                Target target = link == null ? targets.get(i) : Ways.through(link, targets.get(i));
                (i < EACH ? databases.contacts : databases.accesses).add(databases.engine.open(target, connections));
            }
            return databases;
        } catch (InterruptedException | RuntimeException e) {
            databases.close();
            throw e;
        }
    }

    /** To all of them together. */
    int connections() {
        return connections * (contacts.size() + accesses.size());
    }

    QueryEngine engine() {
        return engine;
    }

    List<Pool> contacts() {
        return contacts;
    }

    List<Pool> accesses() {
        return accesses;
    }

    @Override
    public void close() {
        engine.close();
    }
}
