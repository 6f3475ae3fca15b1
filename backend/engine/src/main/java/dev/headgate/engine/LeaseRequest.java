package dev.headgate.engine;

/**
 * A wish for a connection.
 *
 * @param holder who will hold it, for people to read ("teller 10.0.4.7"); may be empty
 * @param timeoutNanos how long the caller is ready to wait; the policy's timeout holds where it is shorter
 * @param reset what becomes of the session's state at the lease's end
 */
public record LeaseRequest(String holder, long timeoutNanos, SessionReset reset) {

    /** One whose session is reset where it is dirty. */
    public LeaseRequest(String holder, long timeoutNanos) {
        this(holder, timeoutNanos, SessionReset.WHEN_DIRTY);
    }

    public static LeaseRequest by(String holder) {
        return new LeaseRequest(holder, Long.MAX_VALUE);
    }
}
