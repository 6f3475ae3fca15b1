package dev.headgate.engine.connect;

import dev.headgate.engine.meter.ConnectionMeter;
import dev.headgate.engine.meter.TapSocketFactory;
import dev.headgate.engine.time.Time;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.postgresql.PGProperty;
import org.postgresql.util.HostSpec;

/** Asks a server for its facts over separate connections, outside every pool. Safe for any number of threads. */
public final class Probe {

    /** How far the age of a process may be from that of its connection, in seconds: a login takes some of it, and so does the question. */
    private static final int AGES_DIFFER = 15;

    private final SocketLedger ledger;
    private final Time time;
    private final Set<ConnectionSockets> connections = ConcurrentHashMap.newKeySet();

    /** @param ledger each connection takes a place in it */
    public Probe(SocketLedger ledger, Time time) {
        this.ledger = ledger;
        this.time = time;
    }

    /** Those that are open or being opened. */
    Set<ConnectionSockets> connections() {
        return connections;
    }

    /**
     * Connects once. Blocks for a place in the ledger, then up to the target's timeouts; the read timeout is at most 10 s.
     *
     * @param own the server's processes behind the connections that are ours. Their names do not tell: a client of the wire port sets
     *     {@code application_name} to its own
     */
    public ServerFacts ask(Target target, Collection<Integer> own) throws SQLException {
        return query(target, own, """
                        SELECT split_part(current_setting('server_version'), ' ', 1),
                               current_setting('max_connections')::int
                                 - current_setting('superuser_reserved_connections')::int
                                 - coalesce(current_setting('reserved_connections', true), '0')::int,
                               (SELECT count(*) FROM pg_stat_activity
                                 WHERE coalesce(backend_type, 'client backend') = 'client backend'
                                   AND datid IS NOT NULL
                                   AND usesysid IS NOT NULL
                                   AND coalesce(application_name, '') NOT LIKE 'headgate %'
                                   AND pid <> ALL (?)),
                               coalesce(host(inet_server_addr()) || ':' || inet_server_port(), ''),
                               pg_postmaster_start_time(),
                               pg_is_in_recovery()""", row -> {
            row.next();
            return new ServerFacts(
                    row.getString(1),
                    row.getInt(2),
                    row.getInt(3),
                    new ServerFacts.Server(row.getString(4), row.getTimestamp(5).toInstant(), row.getBoolean(6)));
        });
    }

    /**
     * What the statements of our connections wait for at this moment, the most frequent first; connects once, and blocks as
     * {@link #ask}.
     *
     * @param own the server's processes behind the connections that are ours
     */
    public List<ServerWait> waits(Target target, Collection<Integer> own) throws SQLException {
        return query(target, own, """
                SELECT coalesce(wait_event_type || ' ' || wait_event, ''), count(*)::int,
                       coalesce((SELECT array_agg(DISTINCT blocking ORDER BY blocking)
                                   FROM unnest(array_agg(pid)) AS waiting, unnest(pg_blocking_pids(waiting)) AS blocking),
                                '{}')
                  FROM pg_stat_activity
                 WHERE state = 'active' AND pid = ANY (?)
                 GROUP BY 1 ORDER BY 2 DESC, 1""", row -> {
            List<ServerWait> waits = new ArrayList<>();
            while (row.next()) {
                Integer[] behind = (Integer[]) row.getArray(3).getArray();
                waits.add(new ServerWait(row.getString(1), row.getInt(2), List.of(behind)));
            }
            return waits;
        });
    }

    /**
     * Ends processes that still execute a statement for a connection that is closed; connects once, and blocks as {@link #ask}. Those
     * that execute nothing, are of another age, or are of another role stay as they are.
     */
    public void end(Target target, List<Orphans.Orphan> orphans) throws SQLException {
        boolean _ = query(
                target,
                """
                SELECT pg_terminate_backend(pid)
                  FROM unnest(?::int4[], ?::float8[]) AS orphan(pid, age)
                  JOIN pg_stat_activity USING (pid)
                 WHERE state = 'active' AND usename = session_user
                   AND abs(extract(epoch FROM clock_timestamp() - backend_start) - age) < %d""".formatted(AGES_DIFFER),
                statement -> {
                    long now = time.nanoTime();
                    Connection connection = statement.getConnection();
                    statement.setArray(
                            1,
                            connection.createArrayOf(
                                    "int4",
                                    orphans.stream()
                                            .map(Orphans.Orphan::process)
                                            .toArray()));
                    statement.setArray(
                            2,
                            connection.createArrayOf(
                                    "float8",
                                    orphans.stream()
                                            .map(orphan -> (now - orphan.openedNanos()) / 1e9)
                                            .toArray()));
                },
                ResultSet::next);
    }

    /** Sets the values of a statement's parameters. */
    @FunctionalInterface
    private interface Binding {
        void bind(PreparedStatement statement) throws SQLException;
    }

    /** Reads an answer. */
    @FunctionalInterface
    private interface Reading<T> {
        T read(ResultSet rows) throws SQLException;
    }

    /** @param sql its one parameter is {@code own} */
    private <T> T query(Target target, Collection<Integer> own, String sql, Reading<T> reading) throws SQLException {
        return query(
                target,
                sql,
                statement -> statement.setArray(1, statement.getConnection().createArrayOf("int4", own.toArray())),
                reading);
    }

    private <T> T query(Target target, String sql, Binding binding, Reading<T> reading) throws SQLException {
        Properties properties = Opener.properties(target, "headgate probe");
        PGProperty.SOCKET_TIMEOUT.set(properties, (int)
                Math.min(10, Math.max(1, target.socketTimeout().toSeconds())));
        ConnectionSockets sockets = new ConnectionSockets(new ConnectionMeter("probe", time), ledger);
        connections.add(sockets);
        try (Connection connection = ScopedValue.where(TapSocketFactory.TAPPING, sockets)
                        .call(() -> new MeteredConnection(
                                new HostSpec(target.host(), target.port()),
                                properties,
                                "jdbc:postgresql:" + target.name(),
                                sockets,
                                () -> {}));
                PreparedStatement statement = connection.prepareStatement(sql)) {
            binding.bind(statement);
            try (ResultSet rows = statement.executeQuery()) {
                return reading.read(rows);
            }
        } finally {
            sockets.end(); // also after a failed connect
            connections.remove(sockets);
        }
    }
}
