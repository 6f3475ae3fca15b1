package dev.headgate.sql;

import dev.headgate.engine.LeaseException;
import dev.headgate.engine.Pool;
import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.FrameWriter;
import dev.headgate.wire.ClientEnd;
import dev.headgate.wire.Relay;
import dev.headgate.wire.RelayLoop;
import dev.headgate.wire.loop.Loop;
import dev.headgate.wire.session.Rules;
import dev.headgate.wire.session.Session;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * A caller's session: it sends rounds of statements, one after another without waiting for answers, and its listeners get the
 * answers as they arrive.
 *
 * <h2>A client without a socket</h2>
 *
 * To the {@link Relay} this is a client's end like a socket's. A round is written as the messages of the extended protocol
 * (Parse, Bind, Describe, Execute for each statement, then one Sync), and the server's messages are read from what the relay
 * writes. The relay leases a connection when the first message arrives, and releases it when every answer has been given, unless
 * a transaction is open.
 *
 * <h2>Rounds</h2>
 *
 * The statements of a round succeed or fail together, and one that fails ends its round. Rounds are independent. The server
 * executes them in order, and none waits for the network: messages of later rounds are on their way while the first is
 * executed (PostgreSQL documentation, "Pipelining").
 *
 * <h2>Backpressure</h2>
 *
 * A listener that takes no more stops this end from draining what the relay writes. The relay then stops reading the server once
 * 16 KB wait, and the server stops when the socket's buffers are full. So memory per session is bounded whatever an answer's
 * length. A row of more than 64 KB reserves memory, until its listener asks for more or the session is closed.
 *
 * <h2>Threads</h2>
 *
 * The public methods may be called by any thread and do not block, except {@link #submit} where it says so. All state belongs
 * to the loop's thread. Listeners are called there.
 */
public final class SqlSession implements AutoCloseable {

    /**
     * The least time between two calls of {@link AnswerListener#arrived} while rounds are left. The server sends the answer to each
     * of many rounds by itself, and to wake a thread for each costs more than the server's work on it.
     */
    private static final long SPACING_NANOS = 1_000_000;

    /** How often a listener is told that its answer is still to come. */
    static final int LOOKS_PER_SECOND = 4;

    private static final long LOOK_NANOS = 1_000_000_000 / LOOKS_PER_SECOND;

    private final RelayLoop home;
    private final Loop loop;
    private final Pool pool;
    private final Rules rules;
    private final Map<String, String> settings;
    private final Caller caller;
    private final Session.Client who;
    private final Dialogue dialogue;
    private final End end;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final Semaphore places;
    private final Loop.Owner owner = this::failed;

    private @Nullable Relay relay;

    /** For long rows: these may outlive the relay. */
    private MemoryAccount.@Nullable Share rows;

    private boolean relayEnded;
    private boolean sendsSoon;
    private boolean sending;
    private boolean draining;
    private long lastToldNanos;
    private boolean endsWhenAnswered;

    /** Any thread. */
    private volatile boolean over;

    private Loop.@Nullable Timer tellTimer;
    private Loop.@Nullable Timer lookTimer;
    private Loop.@Nullable Timer deadline;

    SqlSession(
            RelayLoop home, Pool pool, Session.Client who, Rules rules, Map<String, String> settings, Caller caller) {
        this.home = home;
        this.loop = home.loop();
        this.lastToldNanos = loop.nanoTime() - SPACING_NANOS;
        this.pool = pool;
        this.who = who;
        this.rules = rules;
        this.settings = settings;
        this.caller = caller;
        this.places = new Semaphore(caller.mostWaiting());
        this.dialogue = new Dialogue(caller, home.buffers(), places, new OfRelay());
        this.end = new End(new FrameWriter(home.buffers()));
    }

    /**
     * Runs a task on the loop. The first one opens the session there, with what it does itself: to hand anything to a loop that sleeps
     * costs as much as the statement of a short request.
     */
    private void onLoop(Runnable task) {
        loop.execute(owner, () -> {
            if (relay == null) {
                rows = home.memory(pool.domain());
                relay = home.relay(end, caller.peer(), who, rules, settings, pool, this::relayEnded);
                caller.deadline().ifPresent(this::keep);
            }
            task.run();
        });
    }

    private void relayEnded() {
        end.in.discard();
        relayEnded = true;
        closeRows();
        ended.complete(null);
    }

    private void closeRows() {
        if (relayEnded && !dialogue.holds()) {
            rows().close();
        }
    }

    // ---- for callers

    /**
     * Sends a round, when those before it have been sent.
     *
     * @throws RejectedExecutionException if too many rounds wait to be sent
     */
    public void submit(List<Query> queries, AnswerListener listener) {
        if (!places.tryAcquire()) {
            throw new RejectedExecutionException(caller.mostWaiting() + " rounds wait already, as many as may");
        }
        queue(queries, listener);
    }

    /** The same, but blocks while too many rounds wait. Not for a loop's thread. */
    public void submitWhenPossible(List<Query> queries, AnswerListener listener) throws InterruptedException {
        places.acquire();
        queue(queries, listener);
    }

    /**
     * Sends the last rounds of this session. It ends by itself when they are answered.
     *
     * @throws RejectedExecutionException if too many rounds wait to be sent
     */
    public void submitLast(List<List<Query>> rounds, AnswerListener listener) {
        if (!places.tryAcquire(rounds.size())) {
            throw new RejectedExecutionException(caller.mostWaiting() + " rounds may wait, and these are more");
        }
        List<List<Query>> all = rounds.stream().map(List::copyOf).toList();
        onLoop(() -> {
            endsWhenAnswered = true;
            all.forEach(round -> add(round, listener));
            if (dialogue.isDone()) {
                leave();
            }
        });
    }

    private void queue(List<Query> queries, AnswerListener listener) {
        List<Query> round = List.copyOf(queries);
        onLoop(() -> add(round, listener));
    }

    private void add(List<Query> round, AnswerListener listener) {
        dialogue.add(round, listener);
        sendSoon();
        if (lookTimer == null && !dialogue.isClosed()) {
            lookTimer = loop.at(owner, loop.now() + LOOK_NANOS, this::look);
        }
    }

    private void look() {
        lookTimer = null;
        if (!dialogue.isDone()) {
            dialogue.tellAwaited();
            lookTimer = loop.at(owner, loop.now() + LOOK_NANOS, this::look);
        }
    }

    /** A listener takes rows again. */
    public void resume() {
        onLoop(() -> {
            if (dialogue.isPaused()) {
                dialogue.resume();
                end.settle();
                if (!dialogue.isClosed()) {
                    relay().drained();
                }
                closeRows();
            }
        });
    }

    /** Cancels the statement that is being executed. It fails with 57014, unless it has ended. */
    public void cancel() {
        onLoop(() -> relay().tell(() -> relay().session().cancel(who.secret())));
    }

    /** Ends the session if it has not ended by then, and cancels its statement: what is left fails. */
    private void keep(Caller.Deadline kept) {
        deadline = loop.at(owner, loop.now() + kept.time().toNanos(), () -> abort(kept.failure()));
    }

    /** Ends the session at once, and cancels its statement: what is left fails as said. */
    public void end(SqlFailure failure) {
        over = true;
        onLoop(() -> abort(failure));
    }

    /**
     * Ends the session. An open transaction is rolled back. A statement that is being executed is cancelled after half a second. The
     * caller is not at a row any more.
     */
    @Override
    public void close() {
        over = true;
        onLoop(() -> {
            leave();
            dialogue.letGo();
            closeRows();
        });
    }

    private void leave() {
        if (!dialogue.isClosed()) {
            finish(null);
            relay().gone();
        }
    }

    /** Whether nothing is executed in it any more. It may still hold its connection, until {@link #ended}. */
    public boolean isOver() {
        return over;
    }

    /** Completes when the session has ended and holds no connection any more. */
    public CompletionStage<Void> ended() {
        return ended.minimalCompletionStage();
    }

    /** The bytes in the session's own buffers, for tests: not those of rounds that wait to be sent, nor of rows that were handed on. */
    int buffered() {
        return end.in.buffered() + end.out.size() + dialogue.buffered();
    }

    private Relay relay() {
        return Objects.requireNonNull(relay);
    }

    private MemoryAccount.Share rows() {
        return Objects.requireNonNull(rows);
    }

    /** The relay, for the dialogue. */
    private final class OfRelay implements Dialogue.Peer {
        @Override
        public boolean hold(long bytes) {
            return rows().tryReserve(bytes);
        }

        @Override
        public void letGo(long bytes) {
            rows().release(bytes);
        }

        @Override
        public @Nullable LeaseException refusal() {
            return relay().refusal();
        }

        @Override
        public String connection() {
            return relay().lastConnectionId();
        }

        @Override
        public long waitedNanos() {
            return relay().waitedNanos();
        }

        @Override
        public void abort(SqlFailure why) {
            SqlSession.this.abort(why);
        }
    }

    // ---- to the server

    private boolean maySend() {
        return dialogue.hasToSend() && relay().wantsMore();
    }

    /** Sends after the tasks that the loop has now, so that rounds that were submitted together leave in few writes. */
    private void sendSoon() {
        if (!sendsSoon) {
            sendsSoon = true;
            loop.execute(owner, this::send);
        }
    }

    private void send() {
        sendsSoon = false;
        if (sending) {
            return;
        }
        sending = true;
        try {
            while (maySend()) {
                byte[] bytes = dialogue.next(relay()::wantsMore);
                end.in.feed(bytes, 0, bytes.length);
                relay().received();
                end.in.keep();
            }
        } finally {
            sending = false;
        }
    }

    // ---- from the server

    /** What the relay sees of this session. */
    private final class End implements ClientEnd {

        private final FrameReader in = new FrameReader();
        private final FrameWriter out;
        private boolean closing;

        End(FrameWriter out) {
            this.out = out;
        }

        @Override
        public FrameReader in() {
            return in;
        }

        @Override
        public FrameWriter out() {
            return out;
        }

        @Override
        public void settle() {
            drain();
            if (closing && !dialogue.isPaused() && !dialogue.isClosed()) {
                finish(null);
            }
            if (!sending && relay != null && maySend()) {
                sendSoon();
            }
        }

        /** The relay ends the session; what it wrote last is still read. */
        @Override
        public void close() {
            if (!closing && !dialogue.isClosed()) {
                closing = true;
                loop.execute(owner, this::settle);
            }
        }

        @Override
        public void closeNow() {
            if (!dialogue.isClosed()) {
                finish(null);
            }
        }
    }

    private void drain() {
        if (draining || dialogue.isClosed()) {
            return;
        }
        draining = true;
        try {
            dialogue.goOn();
            boolean _ = end.out.drain(dialogue::feed);
            dialogue.handOn();
            tellArrivedSoon();
            if (endsWhenAnswered && dialogue.isDone()) {
                loop.execute(owner, this::leave);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e); // nothing here does I/O
        } finally {
            draining = false;
        }
    }

    private void tellArrivedSoon() {
        if (!dialogue.hasToTell()) {
            return;
        }
        if (dialogue.isAnswered() || dialogue.isPaused() || loop.now() - lastToldNanos >= SPACING_NANOS) {
            tellArrived();
        } else if (tellTimer == null) {
            tellTimer = loop.at(owner, lastToldNanos + SPACING_NANOS, this::tellArrived);
        }
    }

    private void tellArrived() {
        lastToldNanos = loop.now();
        if (tellTimer != null) {
            tellTimer.cancel();
            tellTimer = null;
        }
        dialogue.tellArrived();
    }

    // ---- the end

    private void abort(SqlFailure failure) {
        if (!dialogue.isClosed()) {
            finish(failure);
            relay().tell(relay().session()::kill);
        }
    }

    /** A task or a timer failed, through a defect in Headgate or in a listener: what is left fails. */
    private void failed(Throwable fault) {
        if (relay == null) {
            finish(null);
            ended.complete(null);
        } else {
            relay.failed(fault);
        }
    }

    private void finish(@Nullable SqlFailure failure) {
        over = true; // before anybody hears of the failure
        if (deadline != null) {
            deadline.cancel();
        }
        if (tellTimer != null) {
            tellTimer.cancel();
            tellTimer = null;
        }
        if (lookTimer != null) {
            lookTimer.cancel();
            lookTimer = null;
        }
        dialogue.end(failure);
        end.out.discard();
    }
}
