package dev.headgate.server.wire;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The rows of wire clients. Takes part in the caller's transaction, if there is one. */
@Component
final class ClientStore {

    private static final RowMapper<Row> ROW = (row, n) ->
            new Row(row.getString("name"), row.getTimestamp("created_at").toInstant(), row.getString("created_by"));

    private static final RowMapper<Proof> PROOF =
            (row, n) -> new Proof(row.getString("domain"), row.getString("name"), row.getString("verifier"));

    private final JdbcClient store;

    ClientStore(JdbcClient store) {
        this.store = store;
    }

    /** The public part of a client. */
    record Row(String name, Instant createdAt, String createdBy) {}

    /** A client with its password's verifier. Never shown. */
    record Proof(String domain, String name, String verifier) {
        @Override
        public String toString() {
            return domain + "/" + name;
        }
    }

    /**
     * At most {@code limit} clients of one domain, by name.
     *
     * @param after return only names after this one; null for the first page
     */
    List<Row> of(String domain, @Nullable String after, int limit) {
        return store.sql("""
                        select name, created_at, created_by from wire_client
                        where domain = :domain and name collate "C" > :after
                        order by name collate "C" limit :limit
                        """)
                .param("domain", domain)
                .param("after", after == null ? "" : after)
                .param("limit", limit)
                .query(ROW)
                .list();
    }

    /** The verifiers of all clients of all domains. */
    List<Proof> proofs() {
        return store.sql("select domain, name, verifier from wire_client")
                .query(PROOF)
                .list();
    }

    /** The verifiers of all clients of one domain. */
    List<Proof> proofs(String domain) {
        return store.sql("select domain, name, verifier from wire_client where domain = :domain")
                .param("domain", domain)
                .query(PROOF)
                .list();
    }

    /** The verifier of one client; empty if the domain has no such client. */
    List<Proof> proofs(String domain, String name) {
        return store.sql("select domain, name, verifier from wire_client where domain = :domain and name = :name")
                .param("domain", domain)
                .param("name", name)
                .query(PROOF)
                .list();
    }

    /**
     * @throws org.springframework.dao.DuplicateKeyException if the domain has such a client
     * @throws org.springframework.dao.DataIntegrityViolationException if there is no such domain
     */
    Row add(String domain, String name, String verifier, String createdBy) {
        return store.sql("""
                        insert into wire_client (domain, name, verifier, created_by)
                        values (:domain, :name, :verifier, :createdBy)
                        returning name, created_at, created_by
                        """)
                .param("domain", domain)
                .param("name", name)
                .param("verifier", verifier)
                .param("createdBy", createdBy)
                .query(ROW)
                .single();
    }

    /** Removes a client and returns it; empty if the domain has no such client. */
    Optional<Row> remove(String domain, String name) {
        return store.sql("""
                        delete from wire_client where domain = :domain and name = :name
                        returning name, created_at, created_by
                        """)
                .param("domain", domain)
                .param("name", name)
                .query(ROW)
                .optional();
    }
}
