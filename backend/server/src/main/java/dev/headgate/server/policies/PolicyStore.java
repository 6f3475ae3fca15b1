package dev.headgate.server.policies;

import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.api.HistoryJson;
import dev.headgate.server.api.Scope;
import dev.headgate.server.policies.ManagedSets.Owner;
import dev.headgate.server.problems.ProblemException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** The rows of policy sets. Every method takes part in the caller's transaction, if there is one. */
@Component
final class PolicyStore {

    private final JdbcClient store;
    private final JsonMapper json;
    private final int mostRevisions;

    PolicyStore(JdbcClient store, JsonMapper json, HeadgateProperties properties) {
        this.mostRevisions = Math.max(2, properties.policies().revisions()); // a guard may restore the last one
        this.store = store;
        this.json = json;
    }

    /**
     * The set in force in a scope.
     *
     * @param target the database
     * @param owner of the set; null if it is edited by hand
     */
    record Head(
            Scope scope,
            String target,
            long revision,
            int guaranteed,
            @Nullable Owner owner) {

        /** The owner's name. */
        @Nullable
        String managedBy() {
            return owner == null ? null : owner.name();
        }
    }

    Optional<Head> head(Scope scope) {
        return store.sql("select * from policy_head where scope = :scope and name = :name")
                .param("scope", scope.kind().label())
                .param("name", scope.name())
                .query(HEAD)
                .optional();
    }

    /** @throws ProblemException not-found if there is no such domain or database */
    Head require(Scope scope) {
        return head(scope)
                .orElseThrow(() -> ProblemException.notFound(scope.kind().label(), scope.name()));
    }

    /** The revision in force, without its owner. */
    PolicySetRevision inForce(Head head) {
        return revision(head.scope(), head.revision())
                .orElseThrow(() -> new IllegalStateException("the store has no revision " + head.revision() + " of "
                        + head.scope().path() + ", and it is in force"));
    }

    List<Head> heads() {
        return store.sql("select * from policy_head order by scope, name")
                .query(HEAD)
                .list();
    }

    /**
     * A policy of a set in force.
     *
     * @param version as it is stored; null if the set names none
     */
    record Use(Scope scope, String plugin, @Nullable String version) {}

    /** The policies of these plugins in the sets in force, of databases first, by name. Reads no parameters. */
    List<Use> uses(Collection<String> plugins) {
        return store.sql("""
                        select scope, name, policy ->> 'plugin' as plugin, policy ->> 'version' as version
                        from policy_head join policy_revision using (scope, name, revision)
                        cross join json_array_elements(policy_set -> 'policies') policy
                        where policy ->> 'plugin' = any (:plugins) order by scope, name
                        """)
                .param("plugins", plugins.toArray(String[]::new))
                .query((row, _) -> new Use(scope(row), row.getString("plugin"), row.getString("version")))
                .list();
    }

    /**
     * How much there is in force.
     *
     * @param scopes domains and databases
     * @param bytes of the texts of their sets
     */
    record Amount(long scopes, long bytes) {}

    Amount amount() {
        return store.sql("""
                        select count(*) as scopes, coalesce(sum(octet_length(policy_set::text)), 0) as bytes
                        from policy_head left join policy_revision using (scope, name, revision)
                        """)
                .query((row, n) -> new Amount(row.getLong("scopes"), row.getLong("bytes")))
                .single();
    }

    Map<Scope, String> owners() {
        return byScope(store.sql("select * from policy_head where managed_by is not null")
                .query(HEAD)
                .list());
    }

    Map<Scope, String> owners(Collection<Scope> scopes) {
        if (scopes.isEmpty()) {
            return Map.of();
        }
        return byScope(store.sql("""
                        select * from policy_head where managed_by is not null and (scope, name) in (:scopes)
                        """)
                .param(
                        "scopes",
                        scopes.stream()
                                .map(scope -> new Object[] {scope.kind().label(), scope.name()})
                                .toList())
                .query(HEAD)
                .list());
    }

    private static Map<Scope, String> byScope(List<Head> owned) {
        return owned.stream().collect(Collectors.toMap(Head::scope, head -> Objects.requireNonNull(head.managedBy())));
    }

    /** The key of an advisory lock that nothing else uses. */
    private static final long PLUGINS = 0x48656164_506C7567L;

    /** Locks all policy sets until commit, so that no set begins to use a plugin. */
    void lockPlugins() {
        store.sql("select pg_advisory_xact_lock(:key)")
                .param("key", PLUGINS)
                .query()
                .singleRow();
    }

    /**
     * Locks the policy sets on the database until commit. Until then no plugin is removed either.
     */
    void lock(String target) {
        store.sql("select pg_advisory_xact_lock_shared(:key)")
                .param("key", PLUGINS)
                .query()
                .singleRow();
        store.sql("select revision from policy_head where scope = 'database' and name = :target for update")
                .param("target", target)
                .query(Long.class)
                .optional();
    }

    int guaranteedOn(String target, @Nullable Scope except) {
        Integer sum = store.sql("""
                        select coalesce(sum(guaranteed), 0) from policy_head
                        where target = :target and scope = 'domain' and name <> :except
                        """)
                .param("target", target)
                .param("except", except == null ? "" : except.name())
                .query(Integer.class)
                .single();
        return sum;
    }

    void found(Scope scope, String target) {
        store.sql(
                        "insert into policy_head (scope, name, target, revision, guaranteed) values (:scope, :name, :target, 0, 0)")
                .param("scope", scope.kind().label())
                .param("name", scope.name())
                .param("target", target)
                .update();
    }

    void forget(Scope scope) {
        store.sql("delete from policy_head where scope = :scope and name = :name")
                .param("scope", scope.kind().label())
                .param("name", scope.name())
                .update();
    }

    /** Gives the set in force to an owner, or to nobody. */
    void manage(Scope scope, @Nullable Owner owner) {
        store.sql("""
                        update policy_head set managed_by = :owner, source_declared = :declared
                        where scope = :scope and name = :name
                        """)
                .param("owner", owner == null ? null : owner.name())
                .param("declared", owner != null && owner.declared())
                .param("scope", scope.kind().label())
                .param("name", scope.name())
                .update();
    }

    /** Puts a revision in force, and deletes those that are too many: the oldest, but for what a guard watches or may restore. */
    void add(Scope scope, PolicySetRevision revision, int guaranteed) {
        store.sql("""
                        insert into policy_revision
                          (scope, name, revision, created_at, actor, comment, restored_from, policy_set)
                        values (:scope, :name, :revision, :createdAt, :actor, :comment, :restoredFrom, cast(:set as json))
                        """)
                .param("scope", scope.kind().label())
                .param("name", scope.name())
                .param("revision", revision.revision())
                .param("createdAt", Timestamp.from(java.util.Objects.requireNonNull(revision.createdAt())))
                .param("actor", revision.actor())
                .param("comment", revision.comment())
                .param("restoredFrom", revision.restoredFrom())
                .param("set", json.writeValueAsString(revision.policySet()))
                .update();
        store.sql("""
                        update policy_head set revision = :revision, guaranteed = :guaranteed
                        where scope = :scope and name = :name
                        """)
                .param("revision", revision.revision())
                .param("guaranteed", guaranteed)
                .param("scope", scope.kind().label())
                .param("name", scope.name())
                .update();
        store.sql("""
                        delete from policy_revision r
                        where scope = :scope and name = :name and revision <= :revision - :most
                          and not exists (select from policy_guard g
                                           where g.scope = r.scope and g.name = r.name and r.revision in (g.revision, g.former))
                        """)
                .param("scope", scope.kind().label())
                .param("name", scope.name())
                .param("revision", revision.revision())
                .param("most", mostRevisions)
                .update();
    }

    /** Keeps what the probation of a revision could not judge; nothing if the revision is gone. */
    void addUnjudged(Scope scope, long revision, String reason) {
        store.sql("""
                        insert into policy_unjudged (scope, name, revision, unjudged)
                        select scope, name, revision, :reason from policy_revision
                        where scope = :scope and name = :name and revision = :revision
                        """)
                .param("reason", reason)
                .param("scope", scope.kind().label())
                .param("name", scope.name())
                .param("revision", revision)
                .update();
    }

    Optional<PolicySetRevision> revision(Scope scope, long revision) {
        if (revision == 0) {
            return Optional.of(nothing());
        }
        return store.sql("""
                        select * from policy_revision left join policy_unjudged using (scope, name, revision)
                        where scope = :scope and name = :name and revision = :revision
                        """)
                .param("scope", scope.kind().label())
                .param("name", scope.name())
                .param("revision", revision)
                .query(revisions())
                .optional();
    }

    /**
     * How large a revision is.
     *
     * @param bytes of its texts
     */
    record Size(long revision, long bytes) {}

    /** The sizes of at most {@code limit} revisions before one, newest first. The initial, empty set comes last. */
    List<Size> sizes(Scope scope, long before, int limit) {
        List<Size> found = new ArrayList<>(store.sql("""
                        select revision, 512 + octet_length(policy_set::text)
                               + coalesce(octet_length(comment), 0) + coalesce(octet_length(unjudged), 0) as bytes
                        from policy_revision left join policy_unjudged using (scope, name, revision)
                        where scope = :scope and name = :name and revision < :before
                        order by revision desc limit :limit
                        """)
                .param("scope", scope.kind().label())
                .param("name", scope.name())
                .param("before", before)
                .param("limit", limit)
                .query((row, n) -> new Size(row.getLong("revision"), row.getLong("bytes")))
                .list());
        if (found.size() < limit && before > 0) {
            found.add(new Size(0, 0));
        }
        return found;
    }

    /** The revisions from one to another, newest first. */
    List<PolicySetRevision> history(Scope scope, long newest, long oldest) {
        List<PolicySetRevision> found = new ArrayList<>(store.sql("""
                        select * from policy_revision left join policy_unjudged using (scope, name, revision)
                        where scope = :scope and name = :name and revision between :oldest and :newest
                        order by revision desc
                        """)
                .param("scope", scope.kind().label())
                .param("name", scope.name())
                .param("oldest", oldest)
                .param("newest", newest)
                .query(revisions())
                .list());
        if (oldest == 0) {
            found.add(nothing());
        }
        return found;
    }

    /** The newest {@code limit} revisions of a range of time, oldest first. */
    List<HistoryJson.Marker> markers(Scope scope, Instant from, Instant to, int limit) {
        return store.sql("""
                        select created_at, revision, actor from policy_revision
                        where scope = :scope and name = :name and created_at >= :from and created_at < :to
                        order by revision desc limit :limit
                        """)
                .param("scope", scope.kind().label())
                .param("name", scope.name())
                .param("from", Timestamp.from(from))
                .param("to", Timestamp.from(to))
                .param("limit", limit)
                .query((row, n) -> new HistoryJson.Marker(time(row), row.getLong("revision"), row.getString("actor")))
                .list()
                .reversed();
    }

    /** The newest revision of before; the initial one if there is none. Empty if the next one is deleted: it may have been that one. */
    Optional<Policies.Former> at(Scope scope, Instant at) {
        return store.sql("""
                        select found.revision,
                               (select json_array_length(policy_set -> 'policies') from policy_revision
                                 where scope = :scope and name = :name and revision = found.revision) as size
                        from (select coalesce(max(revision), 0) as revision from policy_revision
                               where scope = :scope and name = :name and created_at <= :at) found
                        where not exists (select from policy_revision
                                           where scope = :scope and name = :name and revision > found.revision)
                           or exists (select from policy_revision
                                       where scope = :scope and name = :name and revision = found.revision + 1)
                        """)
                .param("scope", scope.kind().label())
                .param("name", scope.name())
                .param("at", Timestamp.from(at))
                .query((row, n) -> new Policies.Former(row.getLong("revision"), row.getInt("size") == 0))
                .optional();
    }

    private static PolicySetRevision nothing() {
        return new PolicySetRevision(0, null, null, null, null, null, PolicySetRequest.empty());
    }

    private static final RowMapper<Head> HEAD = (row, n) -> new Head(
            scope(row), row.getString("target"), row.getLong("revision"), row.getInt("guaranteed"), owner(row));

    private static Scope scope(ResultSet row) throws SQLException {
        return new Scope(
                row.getString("scope").equals("domain") ? Scope.Kind.DOMAIN : Scope.Kind.DATABASE,
                row.getString("name"));
    }

    private static @Nullable Owner owner(ResultSet row) throws SQLException {
        String name = row.getString("managed_by");
        return name == null ? null : new Owner(name, row.getBoolean("source_declared"));
    }

    private RowMapper<PolicySetRevision> revisions() {
        return (row, n) -> new PolicySetRevision(
                row.getLong("revision"),
                time(row),
                row.getString("actor"),
                row.getString("comment"),
                null,
                row.getObject("restored_from", Long.class),
                json.readValue(row.getString("policy_set"), PolicySetRequest.class),
                null,
                row.getString("unjudged"));
    }

    private static Instant time(ResultSet row) throws SQLException {
        return row.getTimestamp("created_at").toInstant();
    }
}
