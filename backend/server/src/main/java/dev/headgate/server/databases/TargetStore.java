package dev.headgate.server.databases;

import dev.headgate.engine.connect.Target;
import dev.headgate.server.api.RowVersion;
import dev.headgate.server.store.Secrets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The rows of databases. Takes part in the caller's transaction, if there is one. */
@Component
final class TargetStore {

    private static final Logger log = LoggerFactory.getLogger(TargetStore.class);

    private final JdbcClient store;
    private final Secrets secrets;

    /** The databases whose passwords cannot be decrypted. */
    private final Set<String> unreadable = ConcurrentHashMap.newKeySet();

    TargetStore(JdbcClient store, Secrets secrets) {
        this.store = store;
        this.secrets = secrets;
    }

    List<Target> all() {
        return store.sql("select * from target order by name").query(TARGETS).list();
    }

    Optional<Target> find(String name) {
        return store.sql("select * from target where name = :name")
                .param("name", name)
                .query(TARGETS)
                .optional();
    }

    /** Reads a database and locks its row until the caller's transaction ends. */
    Optional<Target> lock(String name) {
        return store.sql("select * from target where name = :name for update")
                .param("name", name)
                .query(TARGETS)
                .optional();
    }

    Optional<RowVersion> version(String name) {
        return store.sql("select xmin from target where name = :name")
                .param("name", name)
                .query((row, n) -> new RowVersion(row.getString("xmin")))
                .optional();
    }

    /** @throws org.springframework.dao.DuplicateKeyException if the name is taken */
    void add(Target target) {
        write(target, """
                insert into target (name, host, port, database, "user", password, ssl_mode, budget)
                values (:name, :host, :port, :database, :user, :password, :sslMode, :budget)
                """);
    }

    /** A password that cannot be decrypted stays until there is another: its key may come back. */
    void replace(Target target) {
        boolean keeps = target.password().isEmpty() && unreadable.contains(target.name());
        write(target, """
                update target set host = :host, port = :port, database = :database, "user" = :user,
                  password = %s, ssl_mode = :sslMode, budget = :budget
                where name = :name
                """.formatted(keeps ? "password" : ":password"));
    }

    void remove(String name) {
        store.sql("delete from target where name = :name").param("name", name).update();
    }

    private void write(Target target, String sql) {
        store.sql(sql)
                .param("name", target.name())
                .param("host", target.host())
                .param("port", target.port())
                .param("database", target.database())
                .param("user", target.user())
                .param("password", secrets.encrypt(target.password(), place(target.name())))
                .param("sslMode", target.sslMode().label())
                .param("budget", target.budget())
                .update();
    }

    private final RowMapper<Target> TARGETS = (row, n) -> Target.of(
                    row.getString("name"),
                    row.getString("host"),
                    row.getInt("port"),
                    row.getString("database"),
                    row.getString("user"),
                    secret(row.getString("name"), row.getBytes("password")),
                    row.getInt("budget"))
            .withSslMode(sslMode(row.getString("ssl_mode")));

    /** None where the key was lost: the database is then away, and can be given its password again. */
    private String secret(String name, byte[] sealed) {
        try {
            String password = secrets.decrypt(sealed, place(name));
            unreadable.remove(name);
            return password;
        } catch (Secrets.UndecryptableException e) {
            if (unreadable.add(name)) {
                log.error(
                        "The password of the database {} cannot be decrypted with the key in secret.key. Put the key back with"
                                + " which it was encrypted and start again, or change the database's password here",
                        name);
            }
            return "";
        }
    }

    static Target.SslMode sslMode(String label) {
        return Arrays.stream(Target.SslMode.values())
                .filter(mode -> mode.label().equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no SSL mode: " + label));
    }

    private static String place(String name) {
        return "databases/" + name + "/password";
    }
}
