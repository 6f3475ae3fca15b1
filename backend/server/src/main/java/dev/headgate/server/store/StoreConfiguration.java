package dev.headgate.server.store;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.headgate.server.HeadgateProperties;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationState;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.flyway.autoconfigure.FlywayMigrationStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

/** The control store: the embedded server if it is used, the connections and the schema. */
@Configuration(proxyBeanMethods = false)
class StoreConfiguration {

    static final String SCHEMA = "headgate";
    private static final String DATABASE = "headgate_control";

    /** Also needed with an external store if the demo runs, whose database is on this server. */
    @Bean
    @Conditional(EmbeddedServerWanted.class)
    EmbeddedServer embeddedServer(DataFolder folder) {
        try {
            return EmbeddedServer.start(folder.path());
        } catch (RuntimeException e) {
            throw new CannotStart(String.valueOf(e.getMessage()), e);
        }
    }

    @Bean
    DataSource controlStore(HeadgateProperties properties, Optional<EmbeddedServer> embedded) {
        HikariConfig config = new HikariConfig();
        config.setPoolName("control-store");
        config.setMaximumPoolSize(properties.store().connections());
        config.setConnectionTimeout(5_000);
        config.addDataSourceProperty("socketTimeout", "30");
        config.addDataSourceProperty("tcpKeepAlive", "true");
        config.addDataSourceProperty("ApplicationName", "headgate control store");
        config.setSchema(SCHEMA);
        if (properties.store().embedded()) {
            EmbeddedServer server = embedded.orElseThrow();
            String password = freshPassword();
            server.ensureDatabase(DATABASE, DATABASE, password);
            config.setJdbcUrl(server.jdbcUrl(DATABASE));
            config.setUsername(DATABASE);
            config.setPassword(password);
        } else {
            config.setJdbcUrl(properties.store().url());
            config.setUsername(properties.store().user());
            config.setPassword(properties.store().password());
        }
        try {
            return new HikariDataSource(config);
        } catch (RuntimeException e) {
            throw new CannotStart(
                    "The control store (" + properties.store() + ") cannot be reached: " + rootMessage(e) + ".", e);
        }
    }

    /** Migrates forward. Leaves a store alone that a newer Headgate has migrated. */
    @Bean
    FlywayMigrationStrategy migration() {
        return flyway -> {
            newerThanKnown(flyway).ifPresent(version -> {
                throw new CannotStart(
                        "The control store has schema version " + version + ", and this Headgate knows versions up to "
                                + newestKnown(flyway)
                                + ". Start the newer Headgate that created it, or choose another --data. Nothing was changed.",
                        CannotStart.EXIT_NEWER_STORE);
            });
            flyway.migrate();
        };
    }

    private static Optional<String> newerThanKnown(Flyway flyway) {
        return Arrays.stream(flyway.info().applied())
                .filter(migration -> migration.getState() == MigrationState.FUTURE_SUCCESS
                        || migration.getState() == MigrationState.FUTURE_FAILED)
                .reduce((earlier, later) -> later)
                .map(migration -> String.valueOf(migration.getVersion()));
    }

    private static String newestKnown(Flyway flyway) {
        @Nullable
        MigrationInfo newest = Arrays.stream(flyway.info().all())
                .filter(migration -> migration.getVersion() != null
                        && migration.getState() != MigrationState.FUTURE_SUCCESS
                        && migration.getState() != MigrationState.FUTURE_FAILED)
                .reduce((earlier, later) -> later)
                .orElse(null);
        return newest == null ? "0" : String.valueOf(newest.getVersion());
    }

    /** The embedded store's password is set again at each start, so it need not outlive the process. */
    private static String freshPassword() {
        byte[] bytes = new byte[24];
        new SecureRandom().nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static String rootMessage(Throwable e) {
        Throwable root = e;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return String.valueOf(root.getMessage());
    }
}
