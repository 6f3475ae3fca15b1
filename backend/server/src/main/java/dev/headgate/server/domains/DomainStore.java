package dev.headgate.server.domains;

import dev.headgate.server.api.RowVersion;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/** The rows of domains. Takes part in the caller's transaction, if there is one. */
@Component
final class DomainStore {

    private static final TypeReference<Map<String, String>> LABELS = new TypeReference<>() {};

    private final JdbcClient store;
    private final JsonMapper json;
    private final RowMapper<Row> rows;

    DomainStore(JdbcClient store, JsonMapper json) {
        this.store = store;
        this.json = json;
        this.rows = (row, n) -> new Row(
                row.getString("name"),
                row.getString("target"),
                row.getString("description"),
                labels(row, json),
                new DomainWireJson(
                        row.getString("wire_mode"),
                        row.getInt("wire_max_clients"),
                        row.getString("wire_session_state"),
                        row.getString("wire_unnamed_statements")),
                new DomainSqlJson(
                        row.getString("sql_access"),
                        row.getLong("sql_max_rows"),
                        row.getLong("sql_max_bytes"),
                        row.getInt("sql_timeout_ms")),
                row.getTimestamp("created_at").toInstant(),
                new RowVersion(row.getString("xmin")));
    }

    /** A stored domain. */
    record Row(
            String name,
            String database,
            String description,
            SortedMap<String, String> labels,
            DomainWireJson wire,
            DomainSqlJson sql,
            Instant createdAt,
            RowVersion version) {}

    List<Row> all() {
        return store.sql("select *, xmin from domain order by name").query(rows).list();
    }

    /**
     * At most {@code limit} domains that match the stored part of a filter, by name.
     *
     * @param after return only names after this one; null for the first page
     */
    List<Row> page(DomainFilter filter, @Nullable String after, int limit) {
        return store.sql("""
                        select *, xmin from domain
                        where name collate "C" > :after
                          and (cast(:database as text) is null or target = :database)
                          and (cast(:q as text) is null or position(lower(:q) in name) > 0)
                          and (cast(:labelName as text) is null
                               or labels ->> cast(:labelName as text)
                                  = coalesce(cast(:labelValue as text), labels ->> cast(:labelName as text)))
                        order by name collate "C"
                        limit :limit
                        """)
                .param("after", after == null ? "" : after)
                .param("database", filter.database())
                .param("q", filter.q())
                .param("labelName", filter.labelName())
                .param("labelValue", filter.labelValue())
                .param("limit", limit)
                .query(rows)
                .list();
    }

    Optional<Row> find(String name) {
        return store.sql("select *, xmin from domain where name = :name")
                .param("name", name)
                .query(rows)
                .optional();
    }

    /** Reads a domain and locks its row until the caller's transaction ends. */
    Optional<Row> lock(String name) {
        return store.sql("select *, xmin from domain where name = :name for update")
                .param("name", name)
                .query(rows)
                .optional();
    }

    /** The labels of each domain that has some, by name. */
    Map<String, SortedMap<String, String>> labels() {
        Map<String, SortedMap<String, String>> labels = new HashMap<>();
        store.sql("select name, labels from domain where labels <> '{}'").query((ResultSet row) -> {
            labels.put(row.getString("name"), labels(row, json));
        });
        return labels;
    }

    private static SortedMap<String, String> labels(ResultSet row, JsonMapper json) throws SQLException {
        return Labels.sorted(json.readValue(row.getString("labels"), LABELS));
    }

    /** @throws org.springframework.dao.DuplicateKeyException if the name is taken */
    void add(
            String name,
            String database,
            String description,
            SortedMap<String, String> labels,
            DomainWireJson wire,
            DomainSqlJson sql) {
        store.sql("""
                        insert into domain (name, target, description, labels, wire_mode, wire_max_clients,
                                            wire_session_state, wire_unnamed_statements, sql_access, sql_max_rows,
                                            sql_max_bytes, sql_timeout_ms)
                        values (:name, :database, :description, cast(:labels as jsonb), :mode, :maxClients,
                                :sessionState, :unnamedStatements, :access, :maxRows, :maxBytes, :timeoutMs)
                        """)
                .param("name", name)
                .param("database", database)
                .param("description", description)
                .param("labels", json.writeValueAsString(labels))
                .param("mode", wire.mode())
                .param("maxClients", wire.maxClients())
                .param("sessionState", wire.sessionState())
                .param("unnamedStatements", wire.unnamedStatements())
                .param("access", sql.access())
                .param("maxRows", sql.maxRows())
                .param("maxBytes", sql.maxBytes())
                .param("timeoutMs", sql.timeoutMs())
                .update();
    }

    void change(
            String name, String description, SortedMap<String, String> labels, DomainWireJson wire, DomainSqlJson sql) {
        store.sql("""
                        update domain
                        set description = :description, labels = cast(:labels as jsonb), wire_mode = :mode,
                            wire_max_clients = :maxClients, wire_session_state = :sessionState,
                            wire_unnamed_statements = :unnamedStatements,
                            sql_access = :access, sql_max_rows = :maxRows, sql_max_bytes = :maxBytes,
                            sql_timeout_ms = :timeoutMs
                        where name = :name
                        """)
                .param("name", name)
                .param("description", description)
                .param("labels", json.writeValueAsString(labels))
                .param("mode", wire.mode())
                .param("maxClients", wire.maxClients())
                .param("sessionState", wire.sessionState())
                .param("unnamedStatements", wire.unnamedStatements())
                .param("access", sql.access())
                .param("maxRows", sql.maxRows())
                .param("maxBytes", sql.maxBytes())
                .param("timeoutMs", sql.timeoutMs())
                .update();
    }

    void remove(String name) {
        store.sql("delete from domain where name = :name").param("name", name).update();
    }
}
