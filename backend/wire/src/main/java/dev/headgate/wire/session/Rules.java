package dev.headgate.wire.session;

import java.time.Duration;

/**
 * What a session may do and how long it may take, by its domain and the port.
 *
 * @param keepsConnection the client keeps its connection from its first statement until it leaves
 * @param oneStatement a transaction of several statements is refused
 * @param refusesState statements whose effect belongs to a connection fail while connections are shared
 * @param keepsUnnamed unnamed statements are kept prepared on the connection
 * @param alwaysReset a connection is reset after every lease, not only after a known change
 * @param showsHolder each client's address is part of its application_name on the server
 * @param idleTimeout how long a client may stay idle outside a transaction; zero disables it
 * @param transactionTimeout how long a client that holds a connection may be silent or read nothing; zero disables it
 * @param serverTimeout how long a server may take to answer Headgate's own commands
 * @param room the bytes that may wait for one peer before the other one is no longer read
 * @param owed the answers that a server may owe before the client is no longer read
 * @param statements the prepared statements that a client may keep at once; one more ends its session
 */
public record Rules(
        boolean keepsConnection,
        boolean oneStatement,
        boolean refusesState,
        boolean keepsUnnamed,
        boolean alwaysReset,
        boolean showsHolder,
        Duration idleTimeout,
        Duration transactionTimeout,
        Duration serverTimeout,
        int room,
        int owed,
        int statements) {

    /** The room of a client with a socket. */
    public static final int ROOM = 64 * 1024;

    /** The answers that such a client may be owed: more than drivers send without reading. */
    public static final int OWED = 1_000;

    /**
     * The settings that a client may have, those of its startup message included: several times what a server has. Each is applied where
     * the client gets another connection.
     */
    public static final int SETTINGS = 1_000;

    /** The statements that a client may keep, where nothing else is set: many times what drivers and frameworks keep. */
    public static final int STATEMENTS = 10_000;
}
