package dev.headgate.wire.session;

import dev.headgate.protocol.FrameReader;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Which phase of its life a session is in, and how it ends. A session that holds a connection leaves first: the client gets
 * nothing more, its open transaction is rolled back, and its running statement is cancelled when the grace period is over.
 * It has ended when it holds no connection.
 */
final class Life {

    static final long NEVER = Long.MAX_VALUE;

    /** How long a running statement may continue after its client has gone. */
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** How long it may continue after it was cancelled. */
    private static final long CANCELLED_GRACE_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** How long the statements of a client that has left are cancelled one after another. Then the connection is discarded. */
    private static final long LEAVE_NANOS = TimeUnit.SECONDS.toNanos(20);

    private enum Phase {
        /** Asking a connection for the parameters that the server reports. */
        WELCOMING,
        SERVING,
        /** The client gets nothing more; its connection is being cleaned up. */
        LEAVING,
        ENDED
    }

    private final Tenure tenure;
    private final OwnAnswers own;
    private final Retry retry;
    private final ClientStatements statements;

    /** The client's messages. */
    private final FrameReader in;

    private final Surroundings surroundings;

    private Phase phase = Phase.SERVING;
    private long leaveByNanos = NEVER;
    private long leaveLastNanos = NEVER;
    private boolean cancelledToLeave;

    /** How many rounds the server had to answer when the last cancel was sent for a client that has left. */
    private int roundsAtCancel;

    Life(
            Tenure tenure,
            OwnAnswers own,
            Retry retry,
            ClientStatements statements,
            FrameReader in,
            Surroundings surroundings) {
        this.tenure = tenure;
        this.own = own;
        this.retry = retry;
        this.statements = statements;
        this.in = in;
        this.surroundings = surroundings;
    }

    // ---- phases

    boolean isWelcoming() {
        return phase == Phase.WELCOMING;
    }

    boolean isServing() {
        return phase == Phase.SERVING;
    }

    boolean isLeaving() {
        return phase == Phase.LEAVING;
    }

    boolean hasEnded() {
        return phase == Phase.ENDED;
    }

    /** The login waits for a connection that tells what the server reports. */
    void welcome() {
        phase = Phase.WELCOMING;
    }

    /** The client has been greeted. */
    void serve() {
        phase = Phase.SERVING;
    }

    // ---- the end

    /** Tells the client why its session ends, and ends it. */
    void end(String sqlState, @Nullable String message) {
        if (phase == Phase.ENDED) {
            return;
        }
        if (phase != Phase.LEAVING) {
            Link to = tenure.link();
            if (to == null || !to.in.isPassing()) {
                own.fatal(sqlState, message);
            }
            surroundings.close();
        }
        leave(0);
    }

    /** Ends the session without a message to the client. */
    void hangUp() {
        surroundings.close();
        leave(0);
    }

    /** Ends the session of a client that has gone. Its running statement may finish within the grace period. */
    void clientGone() {
        leave(GRACE_NANOS);
    }

    private void leave(long graceNanos) {
        if (phase == Phase.ENDED) {
            return;
        }
        long by = surroundings.nanoTime() + graceNanos;
        if (phase == Phase.LEAVING) {
            leaveByNanos = Math.min(leaveByNanos, by);
            return;
        }
        phase = Phase.LEAVING;
        retry.dropPending();
        own.discard();
        if (tenure.isAskedFor()) {
            tenure.withdraw();
        }
        if (tenure.link() == null) {
            finish();
            return;
        }
        leaveByNanos = by;
        if (in.isPassing()) { // the server got half a message: the connection cannot be reused
            leaveByNanos = surroundings.nanoTime();
        }
    }

    /** The session that leaves holds no connection any more. */
    void finish() {
        phase = Phase.ENDED;
        statements.dropNamed(statements.parsed());
        surroundings.ended();
    }

    // ---- while it leaves

    /** When {@link #cancelsToLeave} is to be called. */
    long dueNanos() {
        return tenure.isCancelling() ? NEVER : leaveByNanos;
    }

    /**
     * The grace period is over: cancels the running statement.
     *
     * @return false if nothing runs, or if the cancel did not help: then the connection must be discarded
     */
    boolean cancelsToLeave() {
        Link to = tenure.link();
        if (cancelledToLeave || to == null || to.pipeline.isSettled()) {
            return false;
        }
        cancelledToLeave = true;
        roundsAtCancel = to.pipeline.rounds();
        tenure.cancel();
        return true;
    }

    /** A cancel ends one statement. Of a client that has left, the server may have more, and begins the next one: that is cancelled, too. */
    boolean cancelsTheNext(Link to) {
        int left = to.pipeline.rounds();
        if (!cancelledToLeave || left == 0 || left >= roundsAtCancel) {
            return false;
        }
        roundsAtCancel = left;
        tenure.cancel();
        return true;
    }

    /** A cancel has been sent, or could not be sent. */
    void cancelled() {
        if (phase == Phase.LEAVING) {
            long now = surroundings.nanoTime();
            leaveLastNanos = leaveLastNanos == NEVER ? now + LEAVE_NANOS : leaveLastNanos;
            leaveByNanos = Math.min(now + CANCELLED_GRACE_NANOS, leaveLastNanos);
        }
    }
}
