package dev.headgate.server.store;

import com.zaxxer.hikari.HikariConfig;
import dev.headgate.engine.connect.ConnectFault;
import dev.headgate.server.HeadgateProperties;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationState;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.flyway.autoconfigure.FlywayMigrationStrategy;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ContextClosedEvent;

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
    ControlStore controlStore(HeadgateProperties properties, Optional<EmbeddedServer> embedded, Clock clock) {
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
            try {
                server.ensureDatabase(DATABASE, DATABASE, password);
            } catch (IllegalStateException e) {
                throw new CannotStart("The " + withoutFullStop(String.valueOf(e.getMessage())) + ".", e);
            }
            config.setJdbcUrl(server.jdbcUrl(DATABASE));
            config.setUsername(DATABASE);
            config.setPassword(password);
        } else {
            config.setJdbcUrl(properties.store().url());
            config.setUsername(properties.store().user());
            config.setPassword(properties.store().password());
        }
        try {
            return new ControlStore(config, clock);
        } catch (RuntimeException e) {
            throw new CannotStart(
                    "The control store (" + properties.store() + ") cannot be reached: " + root(e) + ".", e);
        }
    }

    /** Before anything stops, and so before what is left is written. */
    @Bean
    ApplicationListener<ContextClosedEvent> controlStoreEnding(ControlStore store) {
        return _ -> store.ending();
    }

    /** Migrates forward. Leaves a store alone that a newer Headgate has migrated. */
    @Bean
    FlywayMigrationStrategy migration(HeadgateProperties properties) {
        return flyway -> {
            try {
                migrate(flyway);
            } catch (FlywayException e) {
                throw new CannotStart(
                        "The schema of the control store (" + properties.store() + ") cannot be made or updated: "
                                + ConnectFault.inBrief(e) + ". Its user needs to own the database.",
                        e);
            }
        };
    }

    private static void migrate(Flyway flyway) {
        newerThanKnown(flyway).ifPresent(version -> {
            throw new CannotStart(
                    "The control store has schema version " + version + ", and this Headgate knows versions up to "
                            + newestKnown(flyway)
                            + ". Start the newer Headgate that created it, or choose another --data. Nothing was changed.",
                    CannotStart.EXIT_NEWER_STORE);
        });
        flyway.migrate();
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

    /** What is at the bottom of it, without a full stop. */
    private static String root(Throwable e) {
        Throwable root = e;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return withoutFullStop(String.valueOf(ConnectFault.said(root)));
    }

    private static String withoutFullStop(String sentence) {
        return sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence;
    }
}
