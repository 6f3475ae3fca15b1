package dev.headgate.server.store;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.springframework.jdbc.core.JdbcTemplate;

/** A PostgreSQL for a test class, with an empty control store. */
public final class StoreServer implements AutoCloseable {

    /** On a machine that many use, a server may take longer than the 10 s that it has otherwise. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final EmbeddedPostgres server;

    private StoreServer(EmbeddedPostgres server) {
        this.server = server;
    }

    public static StoreServer start() {
        try {
            StoreServer started = new StoreServer(
                    EmbeddedPostgres.builder().setPGStartupWait(PATIENCE).start());
            Flyway.configure()
                    .dataSource(started.dataSource())
                    .locations("classpath:db/migration")
                    .load()
                    .migrate();
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Opens a connection for each call. */
    public DataSource dataSource() {
        return server.getPostgresDatabase();
    }

    public JdbcTemplate jdbc() {
        return new JdbcTemplate(dataSource());
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
