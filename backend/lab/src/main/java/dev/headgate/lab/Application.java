package dev.headgate.lab;

import java.sql.Connection;
import java.sql.SQLException;

/** An application that loads a pool: its tables, and what its arrivals do. Immutable. */
public interface Application {

    /** The workload's name, and its domain's. */
    String name();

    /** For people, in a few words. */
    String description();

    /** Arrivals per second at rest. */
    double ratePerSecond();

    Mix mix();

    /**
     * Makes schema and data where they are not there yet, in one database transaction: a set-up that was cut off left
     * nothing behind. Blocks, for about a second the first time.
     *
     * @param connection with autocommit on, as it is on return
     */
    void setUp(Connection connection) throws SQLException;
}
