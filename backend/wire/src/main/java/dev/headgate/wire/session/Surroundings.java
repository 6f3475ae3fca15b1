package dev.headgate.wire.session;

/**
 * What a session asks of the world around it. Called on the session's thread; nothing here blocks. An answer comes as an
 * event of the {@link Session}, within the call or later.
 */
public interface Surroundings {

    /** The present instant, as of {@link System#nanoTime}; may be as old as the event under way. */
    long nanoTime();

    /** Asks for a connection. Answered by {@link Session#leased} or {@link Session#refused}. */
    void lease(String holder);

    /** The connection that was asked for is not wanted any more; there is no answer. */
    void giveUp();

    /**
     * Ends the lease. The link is not the session's from now on.
     *
     * @param fit whether its connection may serve somebody else; if not it is closed
     */
    void release(Link link, boolean fit);

    /** Asks the server to cancel what it is doing for this link. Answered by {@link Session#cancelled}, always. */
    void cancel(Link link);

    /** Asks for one {@link Session#alarm} at that instant; replaces what was asked for before. */
    void wakeAt(long nanos);

    /**
     * Reserves memory for what the client makes the session hold.
     *
     * @return false where there is none left for it
     */
    boolean hold(long bytes);

    /** The same without asking, for what was let go and comes back. */
    void holdAgain(long bytes);

    /** Gives memory back. The rest goes back when the session has {@link #ended}. */
    void letGo(long bytes);

    /** Closes the client's connection once it has taken what was written, and soon in any case. There may be a lease yet. */
    void close();

    /** The session has ended, and holds nothing any more. */
    void ended();
}
