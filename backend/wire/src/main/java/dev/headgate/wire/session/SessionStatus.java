package dev.headgate.wire.session;

/** A session's figures. Its thread writes them, any thread reads them. A value may be slightly old. */
public final class SessionStatus {

    private final int id;
    private volatile String application;
    private volatile String state = "idle";
    private long waitingSince;
    private volatile String pinnedBy = "";
    private volatile long transactions;
    private long transactionsSoFar;
    private volatile long errors;
    private long errorsSoFar;
    private volatile long waits;
    private long waitsSoFar;
    private volatile long waitedNanos;
    private long waitedNanosSoFar;
    private volatile int statements;

    SessionStatus(int id, String application) {
        this.id = id;
        this.application = application;
    }

    /** Unique among the port's sessions. */
    public int id() {
        return id;
    }

    /** Its application_name. */
    public String application() {
        return application;
    }

    /** "idle", "waiting" for a connection, or "active". */
    public String state() {
        return state;
    }

    /**
     * How long it has waited for a connection now; 0 if it does not wait.
     *
     * @param now as of {@link System#nanoTime}
     */
    public long waitingNanos(long now) {
        return state.equals("waiting") ? Math.max(0, now - waitingSince) : 0;
    }

    /** What pins it to its connection; empty for nothing. */
    public String pinnedBy() {
        return pinnedBy;
    }

    /** The number of ended transactions. */
    public long transactions() {
        return transactions;
    }

    /** Requests that were answered with an error, also by Headgate itself. */
    public long errors() {
        return errors;
    }

    /** How often it had to wait for a connection, also in vain. */
    public long waits() {
        return waits;
    }

    /** How long it has waited for connections. */
    public long waitedNanos() {
        return waitedNanos;
    }

    /** The prepared statements that it keeps under names of its own. */
    public int statements() {
        return statements;
    }

    void keeps(int prepared) {
        statements = prepared;
    }

    void erred() {
        errors = ++errorsSoFar;
    }

    /** A wait for a connection has ended. On the session's thread. */
    public void waited(long nanos) {
        waits = ++waitsSoFar;
        waitedNanosSoFar += nanos;
        waitedNanos = waitedNanosSoFar;
    }

    void renamed(String name) {
        application = name;
    }

    void idle() {
        state = "idle";
        pinnedBy = "";
    }

    void waiting(long since) {
        waitingSince = since; // before the state, which tells other threads to read it
        state = "waiting";
    }

    void active() {
        state = "active";
    }

    void pinned(String why) {
        pinnedBy = why;
    }

    void transactionEnded() {
        transactions = ++transactionsSoFar;
    }
}
