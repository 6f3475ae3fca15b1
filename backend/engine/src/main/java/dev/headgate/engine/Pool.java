package dev.headgate.engine;

import dev.headgate.engine.governor.Answer;
import dev.headgate.engine.governor.PolicySet;
import dev.headgate.engine.governor.PoolStatus;
import dev.headgate.engine.governor.ShadowStatus;
import dev.headgate.engine.governor.Words;
import dev.headgate.engine.meter.ConnectionStatus;
import dev.headgate.engine.recording.Recording;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import javax.sql.DataSource;

/** The pool of one domain. All access to its connections goes through it. Safe for any number of threads. */
public interface Pool {

    String domain();

    Database database();

    /**
     * Waits until a connection is free and policy allows it, at most until the request's timeout or the policy's. Blocks the
     * calling thread, which may be a virtual thread.
     *
     * @throws LeaseException with the state of the pool and the binding policy's reason
     */
    Lease acquire(LeaseRequest request) throws LeaseException;

    /**
     * As {@link #acquire}, without blocking a thread. The stage completes on a virtual thread, or fails with
     * {@link LeaseException}. Cancelling its {@code toCompletableFuture()} leaves the queue.
     */
    CompletionStage<Lease> acquireAsync(LeaseRequest request);

    /**
     * As {@link #acquire}, for a caller that relays the server's protocol. Blocks.
     *
     * @throws LeaseException likewise
     */
    RelayLease relay(LeaseRequest request) throws LeaseException;

    /**
     * The same without blocking the caller, which may be a {@link NonBlockingThread}. The listener is called once: on the
     * calling thread before this method returns, or later by the executor. It is not called if the request is cancelled.
     *
     * @param executor runs the listener and the hand-over of a free connection, in parallel or not; a rejected task ends the
     *     request
     * @return cancels the request, from any thread; does nothing after its end. A lease that arrives later is released
     *     silently
     */
    Runnable relay(LeaseRequest request, Executor executor, RelayListener listener);

    /**
     * Lets a request in before any of its work is done, or turns it away. Where the policies say {@code reject} and the pool is exhausted,
     * it lets in as many requests as it has free connections, so nobody works in vain. Does not block.
     *
     * @return close it after use, whether it was asked for its lease or not
     * @throws LeaseException if the request is turned away, or the pool is draining
     */
    Place admit(LeaseRequest request) throws LeaseException;

    /**
     * Puts a policy set in force between two steps of the governor. Requests in flight notice nothing. The set sees the
     * measurements of the last seconds before it is asked for limits.
     *
     * @return completes when the set is in force and has answered once; fails if the database is closed before. Cancelling its
     *     {@code toCompletableFuture()} returns true if the set never comes into force and is closed, and false if the governor
     *     has already begun with it
     */
    CompletionStage<Void> swap(PolicySet set);

    /**
     * Asks a set that is not in force what it would answer now. The governor calls the set's policies and closes them before
     * the stage completes.
     */
    CompletionStage<List<Answer>> ask(PolicySet candidate);

    PolicySet policies();

    /**
     * Tells the decision log that the probation of the set in force ended without a judgement. Decides nothing.
     *
     * @param message one sentence an operator understands
     * @return completes after the governor's next step
     */
    CompletionStage<Void> unjudged(String message);

    /**
     * Asks a shadow set beside the live one from now on, with the same inputs. It decides nothing. The decision log says where
     * its limits differ.
     *
     * @return completes when it has answered once
     */
    CompletionStage<Void> shadow(PolicySet set);

    /** Ends the shadow set, if there is one. */
    CompletionStage<Void> unshadow();

    /** The shadow set's status; null if there is none. */
    Optional<ShadowStatus> shadowStatus();

    /**
     * Has a size in place of the floor, ceiling and guarantee that the policies say, within the budget. It is not stored anywhere: it
     * ends with {@link #endTrial}, after a time, and with the process. The policies go on observing.
     *
     * @param size at least 1
     * @param atMost after which the policies decide again
     * @return completes after the governor's step that did it
     */
    CompletionStage<Void> tryOut(int size, Duration atMost);

    /** Ends {@link #tryOut}, if a size is tried. */
    CompletionStage<Void> endTrial();

    /**
     * Holds new requests until {@link #resume()}. Their deadlines keep running. Leases continue.
     *
     * @return completes after the governor's step that did it, as do the next three methods
     */
    CompletionStage<Void> pause();

    /** Ends {@link #pause()} or {@link #drain()}. */
    CompletionStage<Void> resume();

    /** Replaces every connection: free ones now, leased ones when they are released. */
    CompletionStage<Void> flush();

    /** Refuses new requests and closes connections when they are released, until {@link #resume()}. */
    CompletionStage<Void> drain();

    /**
     * Raises an alarm for a condition that the engine cannot see; the governor's next step tells of it. If it is raised already, only
     * its severity and words change. It lasts until {@link #clear}. Does not block.
     *
     * @param code the alarm's code; must differ from those of the engine and the policies
     */
    void raise(String code, PoolStatus.Severity severity, Words words);

    /** Ends an alarm of {@link #raise} within some seconds. Does nothing if it was not raised. */
    void clear(String code);

    /** The state of the pool now. Cheap: read from atomic fields and the last window. */
    PoolStatus status();

    /** The number of requests that were turned away within the last ten minutes; {@link #occupancy} tells whose they were. Cheap. */
    long turnedAway();

    /** One entry per physical connection, oldest first. */
    List<ConnectionStatus> connections();

    /** Who holds its connections, who waits, who was turned away. */
    Occupancy occupancy();

    /** Every lease request of the last interval, as far back as the recorder reaches. Does not block; returns a copy. */
    Recording recording(Duration length);

    /** The number of requests in a {@link #recording} of that length. Does not block; copies nothing. */
    int recorded(Duration length);

    /**
     * The pool as a {@link DataSource}, for code that knows only JDBC: {@code getConnection} acquires a lease, {@code close}
     * ends it. Its login timeout bounds the caller's wait if it is shorter than the policies' timeout.
     *
     * @param holder shown as the holder of its leases
     * @param reset what happens to the state that a caller leaves in its session
     */
    DataSource dataSource(String holder, SessionReset reset);

    /** The same, with a reset of dirty sessions. */
    default DataSource dataSource(String holder) {
        return dataSource(holder, SessionReset.WHEN_DIRTY);
    }
}
