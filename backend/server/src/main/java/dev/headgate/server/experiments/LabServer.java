package dev.headgate.server.experiments;

import dev.headgate.engine.connect.Target;
import dev.headgate.lab.experiment.Laboratory;
import dev.headgate.server.plugins.PluginCall;
import dev.headgate.server.plugins.PluginCatalog;
import dev.headgate.server.store.EmbeddedServer;
import dev.headgate.spi.InvalidParametersException;
import dev.headgate.spi.Parameters;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PolicyFactory;
import java.io.Closeable;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/**
 * The laboratory of one run: a PostgreSQL server of its own, so that nothing that an experiment does to it reaches the control store,
 * the demo or anybody's database. Its files are deleted at the end.
 */
final class LabServer implements Laboratory, Closeable {

    private final EmbeddedServer server;
    private final PluginCatalog plugins;

    /** Starts the server; blocks for about 4 s. */
    LabServer(Path folder, PluginCatalog plugins) {
        this.server = EmbeddedServer.startFresh(folder, MAX_CONNECTIONS);
        this.plugins = plugins;
    }

    String version() throws SQLException {
        try (Connection connection = server.connect(server.user())) {
            return connection.getMetaData().getDatabaseProductVersion();
        }
    }

    @Override
    public Target database(String name, int budget) throws SQLException {
        try (Connection connection = server.connect(server.user());
                Statement statement = connection.createStatement()) {
            String quoted = statement.enquoteIdentifier(name, true);
            statement.execute("DROP DATABASE IF EXISTS " + quoted + " WITH (FORCE)");
            statement.execute("CREATE DATABASE " + quoted);
        }
        return Target.of(name, server.host(), server.port(), name, server.user(), server.password(), budget)
                .withSslMode(Target.SslMode.DISABLE);
    }

    @Override
    public Policy policy(String plugin, Map<String, Object> parameters) {
        PolicyFactory factory = plugins.find(plugin, null)
                .orElseThrow(() -> new IllegalArgumentException("there is no plugin " + plugin))
                .factory();
        return made(plugin, factory, Parameters.of(parameters));
    }

    /** Not on the run's own thread: that one takes leases, and a plugin that blocks would hold it for ever. */
    static Policy made(String plugin, PolicyFactory factory, Parameters parameters) {
        try {
            return PluginCall.within(PluginCall.DEADLINE, () -> factory.create(parameters));
        } catch (TimeoutException e) {
            throw new IllegalStateException(
                    "the plugin %s made no policy within %d ms".formatted(plugin, PluginCall.DEADLINE.toMillis()), e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof InvalidParametersException refused
                    ? refused
                    : new IllegalStateException("the plugin %s made no policy: %s".formatted(plugin, e.getCause()), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CancellationException("the run was cancelled");
        }
    }

    @Override
    public void close() {
        server.closeAndDelete();
    }
}
