package dev.headgate.wire.session;

/**
 * What a session requests from the code around it. Called on the session's thread; nothing here blocks. An answer comes as an
 * event of the {@link Session}, within the call or later.
 */
public interface Surroundings {

    /** The current time as of {@link System#nanoTime}; may be as old as the current event. */
    long nanoTime();

    /** Asks for a connection. Answered by {@link Session#leased} or {@link Session#refused}. */
    void lease(String holder);

    /** Withdraws the request for a connection. There is no answer. */
    void giveUp();

    /**
     * Ends the lease. The link no longer belongs to the session.
     *
     * @param fit whether the connection may serve another client; if not, it is closed
     */
    void release(Link link, boolean fit);

    /** Asks the server to cancel the running request of this link. Always answered by {@link Session#cancelled}. */
    void cancel(Link link);

    /** Asks for one {@link Session#alarm} at that instant; replaces an earlier one. */
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

    /** Whether clients of this domain have left so much in buffers that no more may come. It is to change nothing for those who read. */
    boolean isFull();

    /** Closes the client's connection once it has read what was written, and soon in any case. A lease may still exist. */
    void close();

    /** The session has ended and holds nothing. */
    void ended();
}
