package dev.headgate.engine;

/**
 * A wish for a connection.
 *
 * @param holder who will hold it, for people to read ("teller 10.0.4.7"); may be empty
 * @param timeoutNanos how long the caller is ready to wait; the policy's timeout holds where it is shorter
 */
public record LeaseRequest(String holder, long timeoutNanos) {

    public static LeaseRequest by(String holder) {
        return new LeaseRequest(holder, Long.MAX_VALUE);
    }
}
