package dev.headgate.wire.session;

import java.time.Duration;

/**
 * What a session may do and how long it may take, by its domain and the port.
 *
 * @param keepsConnection from its first statement until it leaves, whatever it does
 * @param oneStatement a transaction of several statements is refused
 * @param refusesState statements whose effect belongs to a connection fail, where connections are shared
 * @param keepsUnnamed statements without a name are kept prepared on the connection
 * @param alwaysReset a connection is reset after every lease, not only when something is known to have changed
 * @param showsHolder the server knows each client's address as part of its application_name
 * @param idleTimeout of a client outside of a transaction; zero for none
 * @param transactionTimeout how long a client that holds a connection may be silent or take nothing; zero for none
 * @param serverTimeout how long a server may take to answer commands of Headgate's own
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
        Duration serverTimeout) {}
