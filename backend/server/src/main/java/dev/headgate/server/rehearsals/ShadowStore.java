package dev.headgate.server.rehearsals;

import dev.headgate.server.policies.PolicySetRequest;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** The rows of shadow sets. Every method takes part in the caller's transaction, if there is one. */
@Component
final class ShadowStore {

    private final JdbcClient store;
    private final JsonMapper json;

    ShadowStore(JdbcClient store, JsonMapper json) {
        this.store = store;
        this.json = json;
    }

    /** A stored shadow set. */
    record Kept(String domain, Instant createdAt, String actor, PolicySetRequest policySet) {}

    Optional<Kept> find(String domain) {
        return store.sql("select * from policy_shadow where scope = 'domain' and name = :name")
                .param("name", domain)
                .query(rows())
                .optional();
    }

    List<Kept> all() {
        return store.sql("select * from policy_shadow where scope = 'domain' order by name")
                .query(rows())
                .list();
    }

    void keep(Kept kept) {
        store.sql("""
                        insert into policy_shadow (scope, name, created_at, actor, policy_set)
                        values ('domain', :name, :createdAt, :actor, cast(:set as json))
                        on conflict (scope, name) do update
                        set created_at = excluded.created_at, actor = excluded.actor, policy_set = excluded.policy_set
                        """)
                .param("name", kept.domain())
                .param("createdAt", Timestamp.from(kept.createdAt()))
                .param("actor", kept.actor())
                .param("set", json.writeValueAsString(kept.policySet()))
                .update();
    }

    void forget(String domain) {
        store.sql("delete from policy_shadow where scope = 'domain' and name = :name")
                .param("name", domain)
                .update();
    }

    private RowMapper<Kept> rows() {
        return (row, number) -> new Kept(
                row.getString("name"),
                row.getTimestamp("created_at").toInstant(),
                row.getString("actor"),
                json.readValue(row.getString("policy_set"), PolicySetRequest.class));
    }
}
