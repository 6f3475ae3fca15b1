package dev.headgate.server.history;

import dev.headgate.server.api.DecisionJson;
import dev.headgate.server.store.LogQuery;
import dev.headgate.server.store.LogSearches;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Repository;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The decision log's table. Every method blocks on the control store and throws Spring's DataAccessException. */
@Repository
class DecisionStore {

    /** Classes of SQL states: data exceptions, violated constraints, limits of PostgreSQL. */
    private static final Set<String> ROW_FAULTS = Set.of("22", "23", "54");

    private static final String CONTAINS =
            "strpos(lower(concat_ws(' ', body ->> 'message', policy, kind, domain, database)), lower(?)) > 0";

    private final JdbcTemplate jdbc;
    private final LogSearches searches;
    private final JsonMapper json;

    DecisionStore(JdbcTemplate jdbc, LogSearches searches, JsonMapper json) {
        this.jdbc = jdbc;
        this.searches = searches;
        this.json = json.rebuild()
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES) // rows of another version stay readable
                .build();
    }

    /**
     * Adds decisions and updates known ones. If it fails, some may be stored; saving them again is harmless.
     */
    void save(Collection<DecisionJson> decisions) {
        jdbc.batchUpdate("""
                insert into decision (id, time, last_time, count, domain, database, kind, policy, body)
                values (?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb)
                on conflict (time, id) do update
                set last_time = excluded.last_time, count = excluded.count, body = excluded.body
                where decision.count <= excluded.count
                """, decisions, 200, (row, decision) -> {
            row.setString(1, decision.id());
            row.setTimestamp(2, micros(decision.time()));
            row.setTimestamp(3, micros(decision.lastTime()));
            row.setLong(4, decision.count());
            row.setString(5, decision.domain());
            row.setString(6, decision.database());
            row.setString(7, decision.kind());
            row.setString(8, decision.policy());
            row.setString(9, json.writeValueAsString(decision));
        });
    }

    /**
     * At most {@code limit} decisions after a place, newest first.
     *
     * @throws dev.headgate.server.problems.ProblemException unavailable if they are not found in time
     */
    List<DecisionJson> find(DecisionFilter filter, @Nullable DecisionKey after, int limit) {
        LogQuery query = new LogQuery("select body from decision")
                .where("domain = ?", filter.domain())
                .where("database = ?", filter.database())
                .where("kind = ?", filter.kind())
                .where("? in (policy, regexp_replace(policy, '^database/', ''))", filter.policy())
                .where(CONTAINS, filter.q())
                .where("last_time >= ?", filter.from() == null ? null : micros(filter.from()))
                .where("time < ?", filter.to() == null ? null : micros(filter.to()))
                .where(
                        "(time, id) < (?, ?)",
                        after == null ? null : micros(after.time()),
                        after == null ? null : after.id())
                .first(limit, "time desc, id desc");
        return searches.search(
                "decisions",
                "for a shorter time by 'from' and 'to', for a 'domain' or a 'kind'",
                query,
                (row, number) -> json.readValue(row.getString(1), DecisionJson.class));
    }

    /** The newest decision of these kinds on a domain before an instant. */
    Optional<DecisionJson> latestOfDomain(String domain, Collection<String> kinds, Instant to) {
        return latest("domain = ?", domain, kinds, to);
    }

    /** The same on a database itself. */
    Optional<DecisionJson> latestOfDatabase(String database, Collection<String> kinds, Instant to) {
        return latest("domain is null and database = ?", database, kinds, to);
    }

    private Optional<DecisionJson> latest(String scope, String name, Collection<String> kinds, Instant to) {
        return jdbc
                .query(
                        "select body from decision where " + scope
                                + " and kind = any (?) and time < ? order by time desc, id desc limit 1",
                        (row, number) -> json.readValue(row.getString(1), DecisionJson.class),
                        name,
                        kinds.toArray(String[]::new),
                        micros(to))
                .stream()
                .findFirst();
    }

    /** Deletes decisions before {@code before}, and of the rest all except the newest {@code most}. */
    int prune(Instant before, int most) {
        return jdbc.update("delete from decision where last_time < ?", Timestamp.from(before)) + jdbc.update("""
                        delete from decision where (time, id) <=
                          (select time, id from decision order by time desc, id desc offset ? limit 1)
                        """, most);
    }

    /**
     * Whether what {@link #save} threw is about a value of some row, and not about the store: PostgreSQL refuses a NUL in a
     * text and a key that fits no page of an index, whatever else works. Anything without a SQL state was thrown on the way
     * to the store, by what makes a row of a decision.
     */
    static boolean blamesRow(RuntimeException thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql && sql.getSQLState() != null) {
                return ROW_FAULTS.contains(sql.getSQLState().substring(0, 2));
            }
        }
        return !(thrown instanceof DataAccessException);
    }

    /** As finely as PostgreSQL keeps time, and cut off rather than rounded, so that a cursor finds its row again. */
    private static Timestamp micros(Instant time) {
        return Timestamp.from(time.truncatedTo(ChronoUnit.MICROS));
    }
}
