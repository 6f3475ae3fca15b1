package dev.headgate.server.guards;

import dev.headgate.server.api.Scope;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** The rows of guards. Every method takes part in the caller's transaction, if there is one. */
@Component
final class GuardStore {

    private final JdbcClient store;
    private final JsonMapper json;

    GuardStore(JdbcClient store, JsonMapper json) {
        this.store = store;
        this.json = json;
    }

    /** Adds the guard of a scope that has none. */
    void put(Probation probation) {
        store.sql("""
                        insert into policy_guard (scope, name, revision, former, armed_at, until, at_end, bounds)
                        values (:scope, :name, :revision, :former, :armedAt, :until, :atEnd, cast(:bounds as json))
                        """)
                .param("scope", probation.scope().kind().label())
                .param("name", probation.scope().name())
                .param("revision", probation.revision())
                .param("former", probation.guard().restores())
                .param("armedAt", Timestamp.from(probation.armedAt()))
                .param("until", Timestamp.from(probation.guard().until()))
                .param("atEnd", probation.guard().atEnd())
                .param("bounds", json.writeValueAsString(probation.guard().bounds()))
                .update();
    }

    void remove(Scope scope) {
        store.sql("delete from policy_guard where scope = :scope and name = :name")
                .param("scope", scope.kind().label())
                .param("name", scope.name())
                .update();
    }

    /** Removes the scope's guard if it watches this revision. */
    void remove(Scope scope, long revision) {
        store.sql("delete from policy_guard where scope = :scope and name = :name and revision = :revision")
                .param("scope", scope.kind().label())
                .param("name", scope.name())
                .param("revision", revision)
                .update();
    }

    List<Probation> all() {
        return store.sql("select * from policy_guard order by scope, name")
                .query((row, n) -> read(row))
                .list();
    }

    Optional<Probation> find(Scope scope) {
        return store.sql("select * from policy_guard where scope = :scope and name = :name")
                .param("scope", scope.kind().label())
                .param("name", scope.name())
                .query((row, n) -> read(row))
                .optional();
    }

    private Probation read(ResultSet row) throws SQLException {
        return new Probation(
                new Scope(
                        row.getString("scope").equals("domain") ? Scope.Kind.DOMAIN : Scope.Kind.DATABASE,
                        row.getString("name")),
                row.getLong("revision"),
                row.getTimestamp("armed_at").toInstant(),
                new Guard(
                        row.getTimestamp("until").toInstant(),
                        row.getString("at_end"),
                        row.getLong("former"),
                        json.readValue(row.getString("bounds"), GuardBounds.class)));
    }
}
