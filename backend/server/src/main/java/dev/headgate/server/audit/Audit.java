package dev.headgate.server.audit;

import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.access.Access;
import dev.headgate.server.api.Page;
import dev.headgate.server.api.Paging;
import dev.headgate.server.limits.RequestMemory;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.store.LogQuery;
import dev.headgate.server.store.LogSearches;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The record of changes. Entries are only added. */
@Service
public class Audit {

    private static final TypeReference<Map<String, Object>> OBJECT = new TypeReference<>() {};

    /** Bytes of memory for each byte of an entry's JSON. */
    private static final int ROOM = 4;

    private final JdbcClient store;
    private final JsonMapper json;

    /** Reads entries of any version, of which only some properties are wanted. */
    private final JsonMapper kept;

    private final Access access;
    private final RequestMemory memory;
    private final LogSearches searches;
    private final String node;

    Audit(
            JdbcClient store,
            LogSearches searches,
            JsonMapper json,
            Access access,
            RequestMemory memory,
            HeadgateProperties properties) {
        this.store = store;
        this.searches = searches;
        this.memory = memory;
        this.json = json;
        this.kept = json.rebuild()
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .build();
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
        record(access.remote(), action, target, before, after);
    }

    /** The same, for what came from an address and not with this thread's request. */
    @Transactional(propagation = Propagation.MANDATORY)
    void record(String remote, String action, String target, @Nullable Object before, @Nullable Object after) {
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
                .param("remote", remote)
                .update();
    }

    /**
     * What things were at an instant: as they are today, but for those that have changed since, whose first later entry says what they
     * were before. Blocks on the control store.
     *
     * @param today what there is, by the target of its entries; read before this call, so that no change in between is missed
     * @param actions that make, change or remove such a thing; each of their entries holds the whole thing before
     * @param type has the properties of a thing that are wanted
     * @return empty if the audit does not reach back so far: no entry of before that instant is kept, so later ones may be deleted, too
     */
    public <T> Optional<Map<String, T>> asOf(Instant at, Map<String, T> today, List<String> actions, Class<T> type) {
        Map<String, T> then = new HashMap<>(today);
        store.sql("""
                        select distinct on (target) target, before::text as before from audit
                        where action in (:actions) and time > :at order by target, id
                        """).param("actions", actions).param("at", Timestamp.from(at)).query(row -> {
            String before = row.getString("before");
            if (before == null) {
                then.remove(row.getString("target"));
            } else {
                then.put(row.getString("target"), kept.readValue(before, type));
            }
        });
        return reachesBackTo(at) ? Optional.of(then) : Optional.empty();
    }

    /** Whether nothing later has been deleted: the oldest entries are deleted first. */
    private boolean reachesBackTo(Instant at) {
        return store.sql("select exists (select from audit where time <= :at)")
                .param("at", Timestamp.from(at))
                .query(Boolean.class)
                .single();
    }

    private record Size(long id, long bytes) {}

    /**
     * Some entries, newest first: as many as are asked for, or as there is memory for. An entry may hold a policy set of a
     * megabyte, before and after.
     *
     * @throws ProblemException if there is no memory for a single one, or they are not found in time
     */
    Page<AuditEntry> page(AuditFilter filter, Paging<Long> paging) {
        List<Size> sizes = sizes(filter, paging);
        int fitting = memory.holdPage(
                sizes.stream()
                        .limit(paging.limit())
                        .map(size -> size.bytes() * ROOM)
                        .toList(),
                "an audit entry");
        return paging.page(
                fitting == 0 ? List.of() : entries(sizes.subList(0, fitting)),
                fitting < sizes.size(),
                entry -> Long.valueOf(entry.id()));
    }

    /** @throws ProblemException unavailable if they are not found in time */
    private List<Size> sizes(AuditFilter filter, Paging<Long> paging) {
        LogQuery query = new LogQuery("""
                        select id, 512 + coalesce(octet_length(before::text), 0) + coalesce(octet_length(after::text), 0) as bytes
                        from audit""")
                .where("id < ?", paging.after())
                .where("actor = ?", filter.actor())
                .where("action = ?", filter.action())
                .where("target = ?", filter.target())
                .where("time >= ?", filter.from() == null ? null : Timestamp.from(filter.from()))
                .where("time < ?", filter.to() == null ? null : Timestamp.from(filter.to()))
                .first(paging.fetch(), "id desc");
        return searches.search(
                "entries of the audit",
                "for a shorter time by 'from' and 'to', for one 'target' or 'action'",
                query,
                (row, n) -> new Size(row.getLong("id"), row.getLong("bytes")));
    }

    /** Those entries: others that came meanwhile have no memory reserved. */
    private List<AuditEntry> entries(List<Size> sized) {
        return store.sql("select * from audit where id in (:ids) order by id desc")
                .param("ids", sized.stream().map(Size::id).toList())
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
