package dev.headgate.lab.experiment;

import dev.headgate.engine.connect.Target;
import dev.headgate.spi.Policy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;

/**
 * What an experiment is run with: databases of its own on a PostgreSQL server that serves nothing else, and the installed policies.
 * The server allows {@value #MAX_CONNECTIONS} connections and as many prepared transactions.
 */
public interface Laboratory {

    int MAX_CONNECTIONS = 400;

    /**
     * Creates an empty database; one of that name that an earlier run has left is dropped first. Blocks for about a tenth of a second.
     *
     * @param budget of the target, at most {@link #MAX_CONNECTIONS}
     */
    Target database(String name, int budget) throws SQLException;

    /** Opens a connection past all pools. Blocks. */
    static Connection connect(Target target) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:postgresql://" + target.host() + ":" + target.port() + "/" + target.database(),
                target.user(),
                target.password());
    }

    /**
     * Makes a policy of an installed plugin. Blocks for a second at most.
     *
     * @throws IllegalArgumentException if there is no such plugin, or if it refuses the parameters
     * @throws IllegalStateException if the plugin fails, or does not make it in time
     * @throws java.util.concurrent.CancellationException if the run was cancelled
     */
    Policy policy(String plugin, Map<String, Object> parameters);
}
