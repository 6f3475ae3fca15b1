package dev.headgate.server.audit;

import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.access.Access;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/** The record of changes. Entries are only added. */
@Service
public class Audit {

    private static final TypeReference<Map<String, Object>> OBJECT = new TypeReference<>() {};

    private final JdbcClient store;
    private final JsonMapper json;
    private final Access access;
    private final String node;

    Audit(JdbcClient store, JsonMapper json, Access access, HeadgateProperties properties) {
        this.store = store;
        this.json = json;
        this.access = access;
        this.node = properties.node();
    }

    /**
     * Adds an entry to the transaction that makes the change. Who and from where is taken from the request that is being
     * answered.
     *
     * @param action what was done ("policies.put")
     * @param target to what ("domains/bank")
     * @param before the thing before, written as JSON; null where there was none. Must hold no secret
     * @param after the thing after; null where there is none. Must hold no secret
     */
    @Transactional(propagation = Propagation.MANDATORY)
    public void record(String action, String target, @Nullable Object before, @Nullable Object after) {
        store.sql("""
                        insert into audit (node, actor, action, target, before, after, remote)
                        values (:node, :actor, :action, :target, cast(:before as json), cast(:after as json), :remote)
                        """)
                .param("node", node)
                .param("actor", access.actor().name())
                .param("action", action)
                .param("target", target)
                .param("before", text(before))
                .param("after", text(after))
                .param("remote", access.remote())
                .update();
    }

    /** The newest entries older than {@code before}, newest first. */
    List<AuditEntry> page(long before, int limit) {
        return store.sql("select * from audit where id < :before order by id desc limit :limit")
                .param("before", before)
                .param("limit", limit)
                .query((row, n) -> new AuditEntry(
                        Long.toString(row.getLong("id")),
                        row.getTimestamp("time").toInstant(),
                        row.getString("node"),
                        row.getString("actor"),
                        row.getString("action"),
                        row.getString("target"),
                        object(row.getString("before")),
                        object(row.getString("after")),
                        row.getString("remote")))
                .list();
    }

    private @Nullable String text(@Nullable Object value) {
        return value == null ? null : json.writeValueAsString(value);
    }

    private @Nullable Map<String, Object> object(@Nullable String text) {
        return text == null ? null : json.readValue(text, OBJECT);
    }
}
