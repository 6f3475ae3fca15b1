package dev.headgate.engine;

/**
 * Marks a {@link Thread} that must not wait for a server, such as an event loop's. On such a thread a connection that was idle for
 * a while is not asked a query before it is lent again; its socket is asked whether the server has ended it.
 */
public interface NonBlockingThread {}
