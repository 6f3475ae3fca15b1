package dev.headgate.server.demo;

import dev.headgate.lab.Application;
import dev.headgate.lab.demo.Demo;
import dev.headgate.server.access.Access;
import dev.headgate.server.access.Actor;
import dev.headgate.server.databases.DatabaseCreateRequest;
import dev.headgate.server.databases.Databases;
import dev.headgate.server.domains.DomainCreateRequest;
import dev.headgate.server.domains.Domains;
import dev.headgate.server.store.EmbeddedServer;
import jakarta.annotation.PostConstruct;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/**
 * Sets the demo up and starts its loads, when the engine has restored what is kept and before the first request is taken.
 * What the demo made once it does not make again, so that operators' edits survive a restart, deletions among them. A
 * demo that cannot be set up is logged and costs the service nothing else.
 */
@Component
@ConditionalOnProperty(name = "headgate.demo", havingValue = "true", matchIfMissing = true)
final class DemoSetUp implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(DemoSetUp.class);

    /** After the engine is restored (0), before the web server. */
    private static final int PHASE = 100;

    private static final Actor DEMO = new Actor("demo", "system");
    private static final String TARGET = "main";
    private static final int BUDGET = 40;
    private static final String DATABASE = "demo";
    private static final String OWNER = "demo";
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final EmbeddedServer server;
    private final Databases databases;
    private final Domains domains;
    private final Workloads workloads;
    private final WorkloadStore store;
    private final Access access;
    private volatile boolean running;

    DemoSetUp(
            EmbeddedServer server,
            Databases databases,
            Domains domains,
            Workloads workloads,
            WorkloadStore store,
            Access access) {
        this.server = server;
        this.databases = databases;
        this.domains = domains;
        this.workloads = workloads;
        this.store = store;
        this.access = access;
    }

    /** The embedded server takes another port when someone else has taken its own; told before the engine is restored. */
    @PostConstruct
    void followPort() {
        access.actAs(DEMO, () -> databases.followPort(TARGET, server.host(), DATABASE, OWNER, server.port()));
    }

    @Override
    public void start() {
        try {
            access.actAs(DEMO, this::setUp);
        } catch (RuntimeException e) {
            log.error("The demo is not complete: {}", e.getMessage(), e);
        }
        running = true;
    }

    @Override
    public void stop() {
        workloads.stopAll(PATIENCE);
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    private void setUp() {
        boolean incomplete = Demo.applications().stream()
                .anyMatch(application -> store.find(application.name()).isEmpty());
        if (incomplete && !databases.exists(TARGET)) {
            registerDatabase();
        } else if (databases.exists(TARGET)) {
            createTables();
        }
        for (Application application : Demo.applications()) {
            if (store.find(application.name()).isEmpty()) {
                if (!domains.exists(application.name())) {
                    domains.create(new DomainCreateRequest(
                            application.name(),
                            TARGET,
                            application.description(),
                            Map.of("team", team(application.name())),
                            null,
                            null,
                            DemoPolicies.of(application.name())));
                }
                store.keep(application.name(), Workloads.atRest(application));
            }
            if (domains.exists(application.name())) {
                workloads.add(application);
            }
        }
    }

    /** The team that the demo says an application belongs to. */
    private static String team(String application) {
        return switch (application) {
            case "auction" -> "market";
            case "bank" -> "payments";
            default -> "media";
        };
    }

    private void registerDatabase() {
        byte[] random = new byte[24];
        new SecureRandom().nextBytes(random);
        String password = Base64.getUrlEncoder().withoutPadding().encodeToString(random);
        server.ensureDatabase(DATABASE, OWNER, password);
        createTables();
        databases.create(new DatabaseCreateRequest(
                TARGET, server.host(), server.port(), DATABASE, OWNER, password, "disable", BUDGET));
    }

    private void createTables() {
        long begin = System.nanoTime();
        try (Connection connection = server.connect(DATABASE);
                Statement statement = connection.createStatement()) {
            statement.execute("SET ROLE " + OWNER);
            Demo.setUp(connection, DATABASE);
        } catch (SQLException e) {
            throw new IllegalStateException("the tables of the demo cannot be made: " + e.getMessage(), e);
        }
        log.info(
                "The demo's tables are there after {} ms",
                Duration.ofNanos(System.nanoTime() - begin).toMillis());
    }
}
