package dev.headgate.lab;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Iterator;
import java.util.List;

/**
 * A load with tables and rows of its own: everything about one demo application. A new one is one class; no other class
 * knows its tables or its pace. Immutable.
 */
public interface Application extends Load {

    /** The domain has the application's name. */
    @Override
    default String domain() {
        return name();
    }

    /**
     * What one user asks for, one transaction after another, at least one: drawn from the mix, where users have no sessions.
     *
     * @param client whose thread alone uses the session, and whose random numbers it draws from
     */
    default Iterator<Transaction> session(Client client) {
        return List.of(mix().draw(client.random()).transaction()).iterator();
    }

    /** The schema of its tables. */
    String schema();

    /**
     * Creates schema and data if they do not exist, in one database transaction, so an interrupted set-up leaves nothing
     * behind. Blocks, for about a second the first time.
     *
     * @param connection with autocommit on, as it is on return
     */
    void setUp(Connection connection) throws SQLException;
}
