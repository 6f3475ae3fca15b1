package dev.headgate.engine;

/**
 * Marks a {@link Thread} that must not wait for a server, such as an event loop's. On such a thread an idle connection is not
 * tested by a query before it is leased again. Its socket is checked instead, to see whether the server has ended it.
 */
public interface NonBlockingThread {}
