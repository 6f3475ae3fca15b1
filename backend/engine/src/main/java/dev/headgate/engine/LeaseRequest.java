package dev.headgate.engine;

import org.jspecify.annotations.Nullable;

/**
 * A request for a connection.
 *
 * @param holder who will hold it, as shown to people ("teller 10.0.4.7"); may be empty
 * @param timeoutNanos how long the caller is ready to wait; the policy's timeout applies if it is shorter
 * @param reset what happens to the session's state at the end of the lease
 * @param by who asks, if more is known than the holder's name; null for code in this process
 */
public record LeaseRequest(
        String holder,
        long timeoutNanos,
        SessionReset reset,
        @Nullable Requester by) {

    /** A request of code in this process. */
    public LeaseRequest(String holder, long timeoutNanos, SessionReset reset) {
        this(holder, timeoutNanos, reset, null);
    }

    /** A request whose session is reset if it is dirty. */
    public LeaseRequest(String holder, long timeoutNanos) {
        this(holder, timeoutNanos, SessionReset.WHEN_DIRTY);
    }

    public static LeaseRequest by(String holder) {
        return new LeaseRequest(holder, Long.MAX_VALUE);
    }
}
