package dev.headgate.engine;

import dev.headgate.engine.governor.Answer;
import dev.headgate.engine.governor.PolicySet;
import dev.headgate.engine.governor.PoolStatus;
import dev.headgate.engine.governor.ShadowStatus;
import dev.headgate.engine.meter.ConnectionStatus;
import dev.headgate.engine.recording.Recording;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import javax.sql.DataSource;

/** The pool of one domain: the one way to its connections. Safe for use by any number of threads. */
public interface Pool {

    String domain();

    Database database();

    /**
     * Waits for a connection: until one is free and policy allows it, at most until the request's timeout or the
     * policy's. Blocks the calling thread (a virtual thread is welcome).
     *
     * @throws LeaseException with the pool's situation and the binding policy's reason
     */
    Lease acquire(LeaseRequest request) throws LeaseException;

    /**
     * The same, without blocking a thread. The stage completes on a virtual thread; it fails with {@link LeaseException}.
     * Cancelling the returned future's {@code toCompletableFuture()} gives the place in the queue up.
     */
    CompletionStage<Lease> acquireAsync(LeaseRequest request);

    /**
     * The same as {@link #acquire} for who relays the server's protocol. Blocks.
     *
     * @throws LeaseException likewise
     */
    RelayLease relay(LeaseRequest request) throws LeaseException;

    /**
     * The same without ever blocking the caller, who may be a {@link NonBlockingThread}. The listener is told on the calling
     * thread before this method returns, or later by the executor; once, and not at all where the request was given up.
     *
     * @param executor runs the listener and the hand-over of a free connection, one after another or not; a rejected task
     *     ends the request
     * @return gives the request up, from any thread; does nothing after its end. A lease that comes too late is returned
     *     silently
     */
    Runnable relay(LeaseRequest request, Executor executor, RelayListener listener);

    /**
     * The door: tells whether a request that comes now would be turned away, without doing any of its work.
     *
     * @throws LeaseException if the pool is exhausted and its policies say {@code reject}, or it is draining
     */
    void admit() throws LeaseException;

    /**
     * Puts a policy set in force between two steps of the governor; requests under way notice nothing. The set is shown what was
     * measured in the last seconds before it is asked.
     *
     * @return completes when the set is in force and has answered once; fails if the database is closed before. Cancelling its
     *     {@code toCompletableFuture()} tells whether the set is still out of force: true if it never comes into force, and is
     *     closed; false if the governor has begun with it
     */
    CompletionStage<Void> swap(PolicySet set);

    /**
     * Asks a set that is not in force what it would answer now. The set's policies are called by the governor and are
     * closed before the stage completes.
     */
    CompletionStage<List<Answer>> ask(PolicySet candidate);

    PolicySet policies();

    /**
     * Asks a set beside the live one from now on, on the same inputs; it decides nothing, and where it would hold other
     * limits the decision log says so.
     *
     * @return completes when it has answered once
     */
    CompletionStage<Void> shadow(PolicySet set);

    /** Ends the shadow set, if there is one. */
    CompletionStage<Void> unshadow();

    /** What the shadow set would do, if there is one. */
    Optional<ShadowStatus> shadowStatus();

    /**
     * Holds new requests until {@link #resume()}, their deadlines running; leases go on.
     *
     * @return completes after the governor's step that did it; so do the other three
     */
    CompletionStage<Void> pause();

    /** Ends {@link #pause()} or {@link #drain()}. */
    CompletionStage<Void> resume();

    /** Replaces every connection: free ones now, leased ones when they come back. */
    CompletionStage<Void> flush();

    /** Refuses new requests and closes connections as they come back, until {@link #resume()}. */
    CompletionStage<Void> drain();

    /**
     * Raises a critical alarm for a condition that the engine cannot see, at the governor's next step; a raised one gets
     * the message. It stands until {@link #clear}. Does not block.
     *
     * @param code of no alarm that the engine or a policy raises
     */
    void raise(String code, String message);

    /** Ends what {@link #raise} began; the alarm is gone within some seconds. Does nothing where it was not raised. */
    void clear(String code);

    /** Cheap: put together from atomic fields and the last window. */
    PoolStatus status();

    /** One entry per physical connection, oldest first. */
    List<ConnectionStatus> connections();

    /** Every request for a lease of the last stretch, as far back as the recorder reaches. Does not block; copies. */
    Recording recording(Duration length);

    /** How many requests a {@link #recording} of that length would hold. Does not block; copies nothing. */
    int recorded(Duration length);

    /**
     * The pool as a {@link DataSource} for code that knows JDBC alone: {@code getConnection} acquires, {@code close}
     * ends the lease. Its login timeout bounds the caller's wait, where it is shorter than the policies'.
     *
     * @param holder shown as the holder of its leases
     * @param reset what becomes of the state that a caller leaves in its session
     */
    DataSource dataSource(String holder, SessionReset reset);

    /** The same with sessions that are reset where they are dirty. */
    default DataSource dataSource(String holder) {
        return dataSource(holder, SessionReset.WHEN_DIRTY);
    }
}
