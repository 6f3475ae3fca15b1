package dev.headgate.lab.demo;

import dev.headgate.lab.Application;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;

/** The demo: its applications and the database that they share. */
public final class Demo {

    private static final List<Application> APPLICATIONS = List.of(new Auction(), new Bank(), new Gallery());

    private Demo() {}

    /** In display order. */
    public static List<Application> applications() {
        return APPLICATIONS;
    }

    /**
     * Creates the missing schemas; takes about three seconds the first time. Afterwards the database's search path finds every
     * table by its bare name, for {@code psql} and {@code pgbench}. The demo itself always writes the schema.
     *
     * @param connection to the demo's database, as its owner, with autocommit on
     */
    public static void setUp(Connection connection, String database) throws SQLException {
        for (Application application : APPLICATIONS) {
            application.setUp(connection);
        }
        String schemas = APPLICATIONS.stream().map(Application::schema).collect(Collectors.joining(", "));
        Schema.execute(
                connection,
                "ALTER DATABASE \"" + database.replace("\"", "\"\"") + "\" SET search_path = " + schemas + ", public");
    }
}
