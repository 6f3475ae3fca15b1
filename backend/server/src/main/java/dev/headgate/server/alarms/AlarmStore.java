package dev.headgate.server.alarms;

import dev.headgate.engine.governor.PoolStatus.Reach;
import dev.headgate.engine.governor.PoolStatus.Severity;
import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.alarms.LoggedAlarm.Acknowledged;
import dev.headgate.server.alarms.LoggedAlarm.Silenced;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Repository;

/** The alarm log's table. Every method blocks on the control store and throws Spring's DataAccessException. */
@Repository
class AlarmStore {

    private final JdbcTemplate jdbc;
    private final String node;
    private final Clock clock;

    AlarmStore(JdbcTemplate jdbc, HeadgateProperties properties, Clock clock) {
        this.jdbc = jdbc;
        this.node = properties.node();
        this.clock = clock;
    }

    /**
     * Adds alarms and updates known ones. A new one takes over the silence of the last one with its key. If it fails, some may be
     * stored; saving them again is harmless.
     */
    void save(Collection<Observed> alarms) {
        jdbc.batchUpdate("""
                insert into alarm (id, node, reach, database, domain, code, message, severity, since, last_seen, clearing,
                                   cleared, cut_off, times, past, detail, worst, domains, silenced_until, silenced_by, silence_reason)
                select seen.*, former.silenced_until, former.silenced_by, former.silence_reason
                  from (select ?::uuid, ?, ?, ?::text, ?::text, ?, ?, ?, ?::timestamptz, ?::timestamptz, ?::timestamptz,
                               ?::timestamptz, ?, ?, ?, ?, ?, ?::text[])
                       as seen (id, node, reach, database, domain, code, message, severity, since, last_seen, clearing,
                                cleared, cut_off, times, past, detail, worst, domains)
                  left join lateral
                       (select * from alarm
                         where code = seen.code and reach = seen.reach and database is not distinct from seen.database
                           and domain is not distinct from seen.domain and id <> seen.id
                         order by since desc limit 1)
                       as former on former.silenced_until > seen.since
                on conflict (id) do update
                set message = excluded.message, severity = excluded.severity, last_seen = excluded.last_seen,
                    clearing = excluded.clearing, cleared = excluded.cleared, cut_off = excluded.cut_off,
                    times = excluded.times, past = excluded.past, detail = excluded.detail, worst = excluded.worst,
                    domains = excluded.domains
                """, alarms, 200, (row, alarm) -> {
            AlarmKey key = alarm.key();
            row.setObject(1, alarm.id());
            row.setString(2, node);
            row.setString(3, label(key.reach()));
            row.setString(4, key.database());
            row.setString(5, key.domain());
            row.setString(6, key.code());
            row.setString(7, alarm.message());
            row.setString(8, label(alarm.severity()));
            row.setTimestamp(9, micros(alarm.since()));
            row.setTimestamp(10, micros(alarm.lastSeen()));
            row.setTimestamp(11, micros(alarm.clearing()));
            row.setTimestamp(12, micros(alarm.cleared()));
            row.setBoolean(13, alarm.cutOff());
            row.setInt(14, alarm.times());
            row.setString(15, alarm.past());
            row.setString(16, alarm.detail());
            row.setString(17, label(alarm.worst()));
            row.setArray(
                    18,
                    row.getConnection().createArrayOf("text", alarm.domains().toArray()));
        });
    }

    /** The alarms that an earlier run of Headgate has left open. */
    List<Observed> open() {
        return jdbc.query(
                "select * from alarm where cleared is null",
                (row, number) -> new Observed(
                        row.getObject("id", UUID.class),
                        new AlarmKey(
                                Reach.valueOf(row.getString("reach").toUpperCase(Locale.ROOT)),
                                row.getString("database"),
                                row.getString("domain"),
                                row.getString("code")),
                        domains(row),
                        row.getString("message"),
                        row.getString("past"),
                        row.getString("detail"),
                        Severity.valueOf(row.getString("severity").toUpperCase(Locale.ROOT)),
                        Severity.valueOf(row.getString("worst").toUpperCase(Locale.ROOT)),
                        required(row, "since"),
                        required(row, "last_seen"),
                        instant(row, "clearing"),
                        null,
                        false,
                        row.getInt("times"),
                        0));
    }

    /** At most {@code limit} alarms after a place, open ones first, newest first. */
    List<LoggedAlarm> find(AlarmFilter filter, @Nullable AlarmPlace after, int limit) {
        StringBuilder sql = new StringBuilder("select * from alarm where true");
        List<Object> values = new ArrayList<>();
        where(sql, values, " and (cleared is null) = ?", filter.open());
        where(sql, values, " and (domain = ? or domain is null", filter.domain());
        if (filter.domain() != null) {
            where(
                    sql,
                    values,
                    " and (database is null or database = ?)",
                    Objects.requireNonNullElse(filter.database(), ""));
            where(sql, values, " and (domains = '{}' or ? = any (domains)))", filter.domain());
        }
        where(sql, values, " and code = ?", filter.code());
        where(sql, values, " and coalesce(cleared, 'infinity') >= ?", micros(filter.from()));
        where(sql, values, " and since < ?", micros(filter.to()));
        if (after != null) {
            sql.append(" and ((cleared is not null) > ? or ((cleared is not null) = ? and (since, id) < (?, ?)))");
            values.addAll(List.of(after.past(), after.past(), Timestamp.from(after.since()), after.id()));
        }
        sql.append(" order by (cleared is not null), since desc, id desc limit ")
                .append(limit);
        return jdbc.query(sql.toString(), (row, number) -> alarm(row), values.toArray());
    }

    /** The number of open alarms that somebody should look at, and that nobody has acknowledged or silenced. */
    int unattended() {
        Integer number = jdbc.queryForObject("""
                select count(*) from alarm
                 where cleared is null and severity <> 'notice' and acknowledged_at is null and (silenced_until is null or silenced_until <= ?)
                """, Integer.class, Timestamp.from(clock.instant()));
        return Objects.requireNonNull(number);
    }

    /** An alarm, locked until the end of the caller's transaction. */
    Optional<LoggedAlarm> lock(UUID id) {
        return jdbc.query("select * from alarm where id = ? for update", (row, number) -> alarm(row), id).stream()
                .findFirst();
    }

    void acknowledge(UUID id, Acknowledged by) {
        jdbc.update(
                "update alarm set acknowledged_at = ?, acknowledged_by = ?, acknowledge_reason = ? where id = ?",
                Timestamp.from(by.time()),
                by.actor(),
                by.reason(),
                id);
    }

    /** @param by null to take a silence back */
    void silence(UUID id, @Nullable Silenced by) {
        jdbc.update(
                "update alarm set silenced_until = ?, silenced_by = ?, silence_reason = ? where id = ?",
                by == null ? null : Timestamp.from(by.until()),
                by == null ? null : by.actor(),
                by == null ? null : by.reason(),
                id);
    }

    /** Deletes alarms that ended before {@code before}, and of the other past ones all except the newest {@code most}. */
    int prune(Instant before, int most) {
        return jdbc.update("delete from alarm where cleared < ?", Timestamp.from(before)) + jdbc.update("""
                        delete from alarm where cleared is not null and (since, id) <=
                          (select since, id from alarm where cleared is not null
                            order by since desc, id desc offset ? limit 1)
                        """, most);
    }

    private LoggedAlarm alarm(ResultSet row) throws SQLException {
        Instant cleared = instant(row, "cleared");
        Instant acknowledged = instant(row, "acknowledged_at");
        Instant until = instant(row, "silenced_until");
        return new LoggedAlarm(
                row.getString("id"),
                row.getString("reach"),
                row.getString("database"),
                row.getString("domain"),
                domains(row),
                row.getString("code"),
                row.getString("message"),
                row.getString("detail"),
                row.getString("severity"),
                required(row, "since"),
                required(row, "last_seen"),
                instant(row, "clearing"),
                cleared,
                row.getBoolean("cut_off"),
                row.getInt("times"),
                acknowledged == null
                        ? null
                        : new Acknowledged(
                                acknowledged, row.getString("acknowledged_by"), row.getString("acknowledge_reason")),
                until == null || !until.isAfter(cleared == null ? clock.instant() : cleared)
                        ? null
                        : new Silenced(until, row.getString("silenced_by"), row.getString("silence_reason")));
    }

    private static void where(StringBuilder sql, List<Object> values, String condition, @Nullable Object value) {
        if (value != null) {
            sql.append(condition);
            values.add(value);
        }
    }

    private static List<String> domains(ResultSet row) throws SQLException {
        return List.of((String[]) row.getArray("domains").getArray());
    }

    private static String label(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private static Instant required(ResultSet row, String column) throws SQLException {
        return row.getTimestamp(column).toInstant();
    }

    private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
        Timestamp time = row.getTimestamp(column);
        return time == null ? null : time.toInstant();
    }

    /** As finely as PostgreSQL keeps time, and cut off rather than rounded, so that a cursor finds its row again. */
    private static @Nullable Timestamp micros(@Nullable Instant time) {
        return time == null ? null : Timestamp.from(time.truncatedTo(ChronoUnit.MICROS));
    }
}
