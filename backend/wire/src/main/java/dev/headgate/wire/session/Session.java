package dev.headgate.wire.session;

import dev.headgate.protocol.Buffers;
import dev.headgate.protocol.Fields;
import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.FrameWriter;
import dev.headgate.protocol.Pipeline.Owed;
import dev.headgate.protocol.ProtocolException;
import dev.headgate.protocol.StatementCatalog;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The session of an authenticated client, as a state machine without I/O. It takes the client's messages, leases a
 * connection when one is needed, relays both ways, and releases the connection as soon as the mode allows.
 *
 * <h2>Events and actions</h2>
 *
 * The owner of the sockets passes what it has read to {@link #fromClient} and {@link #fromServer} and sends what is in the
 * two writers. It reports every other event by a method: a lease granted or refused, an alarm, either side gone. The
 * session makes its requests through {@link Surroundings}. It never blocks and starts no thread; all calls come from one
 * thread. So a test can play every schedule of events, and two sessions on one thread cannot wait for each other.
 *
 * <h2>Responsibilities</h2>
 *
 * <ul>
 *   <li>{@link Requests}: translates the client's messages for the server.
 *   <li>{@link Answers}: translates the server's messages for the client.
 *   <li>{@link ClientStatements}, {@link ClientSettings}: the client's prepared statements and settings, on any connection.
 *   <li>{@link Tenure}: the connection while the session holds it, and what keeps it there.
 *   <li>{@link Errand}: Headgate's own commands on a connection, while no client uses it.
 *   <li>this class: requesting and releasing a connection, deadlines, and the end of a session.
 * </ul>
 *
 * Every event ends in {@link #settle}, the only place that decides whether to release the connection.
 *
 * <h2>What belongs to the client, and what to the connection</h2>
 *
 * Prepared statements and settings belong to the client, and its next connection may know neither. Statements are
 * identified by their content and prepared where they are used. Settings are applied when a connection is leased. State
 * that cannot move to another connection <em>pins</em> the client to its connection. A session that keeps its connection
 * anyway uses the server's own statements and names.
 *
 * <h2>Backpressure</h2>
 *
 * A peer is read only while fewer than {@link Rules#room} bytes wait for the other one ({@link #wantsClient},
 * {@link #wantsServer}). Reading the server never waits for the client's next message, and reading the client never waits
 * for the server's. So a long pipeline or a COPY cannot block both.
 */
public final class Session {

    /** How long a running statement may continue after its client has gone. */
    static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** How long it may continue after it was cancelled. */
    private static final long CANCELLED_GRACE_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** How long the statements of a client that has left are cancelled one after another. Then the connection is discarded. */
    private static final long LEAVE_NANOS = TimeUnit.SECONDS.toNanos(20);

    /** How often a connection is replaced if it was lost before any of the client's data was sent. */
    private static final int MOST_REPLACED = 3;

    /** While the server owes so many answers, the client is not read. */
    private static final int MOST_OWED = 20_000;

    private static final long NEVER = Long.MAX_VALUE;

    private static final String STOPPING = "Headgate is stopping";

    private enum Phase {
        /** Asking a connection for the parameters that the server reports. */
        WELCOMING,
        SERVING,
        /** The client gets nothing more; its connection is being cleaned up. */
        LEAVING,
        ENDED
    }

    /**
     * Who the client is.
     *
     * @param id unique among the port's sessions
     * @param secret required, with the id, to cancel
     * @param application its initial application_name
     * @param holder gives the label of its leases for an application name
     */
    public record Client(int id, int secret, String application, UnaryOperator<String> holder) {}

    @FunctionalInterface
    private interface Step {
        void run() throws ProtocolException;
    }

    final Rules rules;
    final ClientSettings settings;
    final Transaction transaction = new Transaction();
    final Retry retry = new Retry();
    final Holdings holdings;
    private final Client client;
    private final FrameReader in;
    private FrameWriter out;
    private final Buffers buffers;
    private final Requests requests;
    private final ClientStatements statements;
    private final Answers answers;
    private final Surroundings surroundings;
    private final SessionStatus status;

    private Phase phase = Phase.SERVING;
    private boolean inEvent;
    private final Tenure tenure;
    private boolean asked;
    private @Nullable Consumer<Map<String, String>> learned;

    /** The failed statement is stale; the batch is sent again once the server has finished it. */
    private byte @Nullable [] again;

    /** Some input was not handled because there was no room for the output. */
    private boolean heldBack;

    /** The connection is released once everything written for it has been sent. */
    private boolean unsent;

    private boolean stopping;
    private boolean leasesNoMore;

    /** What a client is told that asks for another lease; null if nothing. */
    private @Nullable String refuses;

    /** The connection that it holds must not serve anybody else. */
    private boolean condemned;

    private int replaced;

    /** The client has cancelled its request before the connection had the client's settings. */
    private boolean cancelledEarly;

    private long lastEventNanos;
    private long leaveByNanos = NEVER;
    private boolean cancelledToLeave;
    private long leaveLastNanos = NEVER;

    /** How many rounds the server had to answer when the last cancel was sent for a client that has left. */
    private int roundsAtCancel;

    private long armedNanos = NEVER;

    /**
     * @param startup the settings of its startup message, by name, as commands ({@link dev.headgate.protocol.SettingsText#of})
     * @param schemas counts schema changes seen by all sessions
     */
    public Session(
            Client client,
            Rules rules,
            Map<String, String> startup,
            FrameReader in,
            FrameWriter out,
            Buffers buffers,
            StatementCatalog catalog,
            SharedTexts texts,
            AtomicLong schemas,
            Surroundings surroundings) {
        this.client = client;
        this.rules = rules;
        this.in = in;
        this.out = out;
        this.buffers = buffers;
        this.surroundings = surroundings;
        this.holdings = new Holdings(surroundings);
        this.settings = new ClientSettings(startup);
        this.status = new SessionStatus(client.id(), client.application());
        this.tenure = new Tenure(this, surroundings, in);
        this.statements = new ClientStatements(this, catalog, texts, schemas);
        this.requests = new Requests(this, in, statements);
        this.answers = new Answers(this, requests, statements, schemas);
        this.lastEventNanos = surroundings.nanoTime();
        showHolder();
    }

    // ---- events

    /**
     * Ends the login: sends the client the parameters that the server reports, and ReadyForQuery.
     *
     * @param known these parameters; null if a connection must be asked for them first
     * @param ask receives them in that case
     */
    public void welcome(@Nullable Map<String, String> known, Consumer<Map<String, String>> ask) {
        event(() -> {
            if (known != null) {
                greet(known);
            } else {
                phase = Phase.WELCOMING;
                learned = ask;
                askForLease();
            }
        });
    }

    /** The client's reader has new input. */
    public void fromClient() {
        event(this::heard);
    }

    /** The link's reader has new input. */
    public void fromServer() {
        event(this::heard);
    }

    /** A peer has accepted bytes, so there may be room for more. */
    public void drained() {
        event(this::heard);
    }

    private void heard() {
        lastEventNanos = surroundings.nanoTime();
    }

    /** The requested lease is granted. */
    public void leased(Link granted) {
        asked = false;
        if (phase == Phase.ENDED) {
            surroundings.release(granted, true);
            return;
        }
        event(() -> {
            heard();
            tenure.begin(granted);
            status.active();
            if (leasesNoMore) {
                surroundings.close();
                leave(0);
            } else {
                adopt();
            }
        });
    }

    /** The requested lease is refused. */
    public void refused(String sqlState, @Nullable String message, String detail) {
        asked = false;
        status.idle();
        event(() -> refuse(sqlState, message, detail));
    }

    /** The instant that {@link Surroundings#wakeAt} asked for has come. */
    public void alarm() {
        armedNanos = NEVER;
        event(this::onAlarm);
    }

    /** The client has closed its connection, or it broke. */
    public void clientGone() {
        event(() -> leave(GRACE_NANOS));
    }

    /** The server has closed the connection, or it broke. */
    public void serverGone(String why) {
        event(() -> lost(why));
    }

    /** A requested cancel has been sent, or could not be sent. */
    public void cancelled() {
        tenure.cancelled();
        event(() -> {
            if (phase == Phase.LEAVING) {
                long now = surroundings.nanoTime();
                leaveLastNanos = leaveLastNanos == NEVER ? now + LEAVE_NANOS : leaveLastNanos;
                leaveByNanos = Math.min(now + CANCELLED_GRACE_NANOS, leaveLastNanos);
            }
        });
    }

    /** Cancels the client's current request, for a caller that knows the secret. Does nothing if there is none. */
    public void cancel(int secret) {
        if (secret == client.secret()) {
            event(this::cancelRequest);
        }
    }

    /** Allows no further transaction; an idle client is told at once. */
    public void stop() {
        stopping = true;
        event(() -> {});
    }

    /** Refuses what it waits for and every later request: that ends the session, and its client is told why. */
    public void leaseNoMore(String why) {
        leasesNoMore = true;
        refuses = why;
    }

    /** Ends the session at once; a client that holds no connection is told why. */
    public void dismiss(String why) {
        event(() -> {
            if (tenure.link() == null) {
                end("57P01", why);
            } else {
                kill();
            }
        });
    }

    /** Cancels the client's current request, for an operator. Does nothing if there is none. */
    public void cancelForOperator() {
        event(this::cancelRequest);
    }

    /** One that waits for a connection, or for its settings there, is refused: the server knows nothing of it. */
    private void cancelRequest() {
        if (phase != Phase.SERVING || !in.isOpen() || !(asked || tenure.errand() != null)) {
            tenure.cancel();
        } else if (asked) {
            asked = false;
            surroundings.giveUp();
            status.idle();
            refuseCancelled();
        } else {
            cancelledEarly = true;
        }
    }

    private void refuseCancelled() {
        refuse("57014", "canceling statement due to user request", "");
    }

    /**
     * Ends the session at once and tells its client why. Cancels its running statement, and discards the connection that it
     * holds.
     */
    public void expel(String why) {
        event(() -> {
            leasesNoMore = true;
            condemned = true;
            end("57P01", why);
        });
    }

    /** Ends the session at once: cancels its running statement and refuses what it waits for. */
    public void kill() {
        event(() -> {
            leasesNoMore = true;
            surroundings.close();
            leave(0);
        });
    }

    /** Whether the client should be read. */
    public boolean wantsClient() {
        Link to = tenure.link();
        return phase != Phase.ENDED
                && phase != Phase.LEAVING
                && in.buffered() < rules.room() + requests.awaited()
                && (to == null || (to.out.size() < rules.room() && to.pipeline.size() < MOST_OWED));
    }

    /** Whether all requests of the client have been answered. */
    public boolean isIdle() {
        Link to = tenure.link();
        return !asked
                && in.buffered() == 0
                && !in.isOpen()
                && (to == null || (tenure.errand() == null && tenure.isQuiet()));
    }

    /** Whether unhandled input now has room: call {@link #drained} then. */
    public boolean canGoOn() {
        Link to = tenure.link();
        return (heldBack && out.size() < rules.room() && (to == null || to.out.size() < rules.room()))
                || (unsent && to != null && to.out.size() == 0);
    }

    /** Whether the server should be read. */
    public boolean wantsServer() {
        return out.size() < rules.room();
    }

    /** The most bytes to read from the server at once. */
    public int room() {
        return rules.room();
    }

    /** The link that the session holds now. */
    public @Nullable Link link() {
        return tenure.link();
    }

    /** The session's figures; any thread may read them. */
    public SessionStatus status() {
        return status;
    }

    private void event(Step step) {
        if (phase == Phase.ENDED) {
            return;
        }
        if (inEvent) { // called back from within an event
            try {
                step.run();
            } catch (ProtocolException refused) {
                end(refused.sqlState(), refused.getMessage());
            }
            return;
        }
        inEvent = true;
        try {
            step.run();
            pump();
        } catch (ProtocolException refused) {
            end(refused.sqlState(), refused.getMessage());
            settle(); // the connection is still usable
        } finally {
            inEvent = false;
        }
        arm();
    }

    private void pump() throws ProtocolException {
        heldBack = false;
        unsent = false;
        try {
            takeFromServer();
        } catch (ProtocolException nonsense) {
            throwAway(nonsense.sqlState(), nonsense.getMessage());
            return;
        }
        takeFromClient();
        if (repeatWhatWasStale()) {
            takeFromClient(); // the server answers only at the Sync, which may be here already
        }
        answerAlone();
        settle();
        if (phase == Phase.SERVING && rules.oneStatement() && tenure.isWithinTransaction()) {
            throw new ProtocolException(
                    "25001", "this domain is in statement mode: a transaction of several statements is not possible");
        }
    }

    private boolean repeatWhatWasStale() throws ProtocolException {
        Link to = tenure.link();
        byte[] repeated = again;
        if (to != null && repeated != null && to.pipeline.isSettled() && !tenure.isCancelling()) {
            again = null;
            requests.repeat(repeated);
            return true;
        }
        return false;
    }

    private void takeFromClient() throws ProtocolException {
        while (phase == Phase.SERVING && again == null && (in.isOpen() || in.next())) {
            Link to = tenure.link();
            if (to != null && to.out.size() >= rules.room()) {
                heldBack = true;
                return;
            }
            if (in.isPassing()) {
                if (to == null || !in.passRest(to.out)) {
                    return;
                }
            } else if (!requests.take() && in.isOpen()) { // a refused message is closed
                return;
            }
        }
    }

    private void takeFromServer() throws ProtocolException {
        for (Link from = tenure.link(); from != null; from = tenure.link()) {
            if (from.in.isPassing()) {
                if (!from.in.passRest(out)) {
                    return;
                }
                tell(from);
                continue;
            }
            if (!from.in.isOpen() && !from.in.next()) {
                return;
            }
            if (out.size() >= rules.room()) {
                heldBack = true;
                return;
            }
            Errand ours = tenure.errand();
            if (ours != null) {
                switch (ours.take(from.in)) {
                    case NEEDS_BYTES -> {
                        return;
                    }
                    case DONE -> tenure.errandEnded(ours);
                    case TAKEN -> {}
                }
            } else if (!answers.take(from)) {
                return;
            }
        }
    }

    // ---- the lease

    /**
     * The link, leased if there is none; null while the session waits for it. A request waits too until the cancel of the one before it
     * has arrived, which would else end this one.
     */
    @Nullable
    Link toServer() {
        if (tenure.awaitsCancel()) {
            return null;
        }
        if (tenure.link() == null && !asked) {
            if (stopping) {
                end("57P01", STOPPING);
            } else {
                askForLease();
            }
        }
        return tenure.forClient();
    }

    private void askForLease() {
        if (leasesNoMore) {
            if (refuses == null) {
                surroundings.close();
                leave(0);
            } else {
                end("57P01", refuses);
            }
            return;
        }
        asked = true;
        status.waiting();
        surroundings.lease(client.holder().apply(status.application()));
    }

    /** Applies the client's settings to the connection if they differ. */
    private void adopt() {
        adopt(false);
    }

    /**
     * @param clean whether it was reset for this: then it is the client's own settings that the server refuses, and not the restoring of
     *     another client's
     */
    private void adopt(boolean clean) {
        Link to = tenure.held();
        Map<String, String> wanted = Map.copyOf(settings.present());
        String commands = to.adoption(wanted);
        if (commands.isEmpty()) {
            adopted();
            return;
        }
        tenure.run(commands, failure -> {
            if (failure == null) {
                to.adopted(wanted);
                adopted();
            } else if (tenure.isBound()) {
                throwAway(failure.state(), failure.message());
            } else if (!clean && !to.settings.isEmpty()) {
                cleanAndAdopt(to);
            } else if (phase == Phase.WELCOMING) {
                end(failure.state(), failure.message());
            } else {
                release(true);
                refuse(failure.state(), failure.message(), "While the session's settings were put in place.");
            }
        });
    }

    private void cleanAndAdopt(Link to) {
        tenure.run(to.reset(false), failure -> {
            if (failure == null) {
                to.wasReset();
                adopt(true);
            } else {
                release(false);
                replace();
            }
        });
    }

    /** Nothing of the request was sent to a connection that is gone: another one serves it. */
    private void replace() {
        if (replaced++ >= MOST_REPLACED) {
            end("08006", "no connection to the database could be prepared for this client");
        } else if (phase == Phase.WELCOMING || in.isOpen()) {
            askForLease();
        }
    }

    /** Ends the session and discards its connection. */
    private void throwAway(String sqlState, @Nullable String message) {
        end(sqlState, message);
        release(false);
    }

    private void adopted() {
        replaced = 0;
        if (cancelledEarly) {
            refuseCancelled();
        }
        Consumer<Map<String, String>> ask = learned;
        if (ask != null) {
            learned = null;
            Map<String, String> reported = Map.copyOf(tenure.held().reported);
            ask.accept(reported);
            greet(reported);
        }
    }

    private void greet(Map<String, String> reported) {
        reported.forEach(out::reported);
        out.header('K', 8).int32(client.id()).int32(client.secret());
        ready();
        phase = Phase.SERVING;
    }

    /** Tells the client that its current request, or its login, failed. */
    private void refuse(String sqlState, @Nullable String message, String detail) {
        cancelledEarly = false; // a cancel is of this request, and of no later one
        if (phase == Phase.WELCOMING) {
            end(sqlState, message);
            return;
        }
        if (phase != Phase.SERVING || !in.isOpen()) {
            return;
        }
        Fields.error(out, "ERROR", sqlState, message, detail);
        status.erred();
        boolean simple = in.type() == 'Q' || in.type() == 'F';
        in.close();
        if (simple) {
            ready();
        } else {
            transaction.skippingToSync = true;
        }
    }

    void ready() {
        out.message('Z', transaction.status);
    }

    /**
     * All input has been handled. Waits for outstanding responses, then releases the connection if the mode allows it. The
     * only place that releases it.
     */
    private void settle() {
        Link to = tenure.link();
        if (to != null && !tenure.isBusy()) {
            settle(to);
        }
        if (tenure.link() == null && phase == Phase.LEAVING) {
            finish();
        } else if (tenure.link() == null && stopping && !asked && phase != Phase.ENDED) {
            end("57P01", STOPPING);
        }
    }

    private void settle(Link to) {
        if (tenure.endPreparing()) {
            return;
        }
        if (!tenure.isQuiet()) {
            if (tenure.isWithinTransaction()) {
                retry.forget(); // only a transaction's first round is sent again
            }
            if (phase == Phase.LEAVING && !cancelsTheNext(to)) {
                tenure.endWhatIsOpen(() -> release(false));
            }
            return;
        }
        retry.forget();
        if (stopping && tenure.isBound()) {
            end("57P01", STOPPING);
        }
        if (phase != Phase.LEAVING && tenure.isBound()) {
            if (!tenure.isMidway() && settings.takeChanged()) {
                adopt();
            }
        } else {
            giveBack(to);
        }
    }

    /** A cancel ends one statement. Of a client that has left, the server may have more, and begins the next one: that is cancelled, too. */
    private boolean cancelsTheNext(Link to) {
        int left = to.pipeline.rounds();
        if (!cancelledToLeave || left == 0 || left >= roundsAtCancel) {
            return false;
        }
        roundsAtCancel = left;
        tenure.cancel();
        return true;
    }

    private void giveBack(Link to) {
        if (tenure.takeUnclean()) {
            tenure.run(to.reset(tenure.endsWithoutStatements()), failure -> {
                to.wasReset();
                release(failure == null);
            });
        } else if (to.out.size() > 0) { // such as data for a COPY that has failed
            unsent = true;
        } else {
            release(true);
        }
    }

    private void release(boolean fit) {
        Link to = tenure.link();
        if (to == null) {
            return;
        }
        status.idle();
        tenure.end(to, fit && !condemned);
        if (phase == Phase.LEAVING) {
            finish();
        }
    }

    /** The server is gone, or violates the protocol: the connection is discarded. */
    private void lost(String why) {
        Link to = tenure.link();
        if (to == null) {
            return;
        }
        boolean untouched =
                tenure.errand() != null && !tenure.isBound() && phase != Phase.LEAVING && transaction.isOver();
        boolean half = to.in.isPassing();
        boolean told = tenure.toldLast();
        release(false);
        if (phase == Phase.ENDED) {
            return;
        }
        if (untouched && replaced < MOST_REPLACED) {
            replace();
        } else if (half || told) { // the client has half a message, or the server has said why
            surroundings.close();
            leave(0);
        } else {
            end("08006", "the connection to the database was lost: " + why);
        }
    }

    // ---- for the parts

    FrameWriter out() {
        return out;
    }

    Tenure tenure() {
        return tenure;
    }

    long nanoTime() {
        return surroundings.nanoTime();
    }

    /** Records a message that is about to be written and the response it expects. */
    void owe(Link to, Owed what) {
        switch (what.sent()) {
            case SYNC, OUR_SYNC, QUERY -> transaction.synced();
            case COPY_END, ABSORBED_PARSE, ABSORBED_CLOSE -> {} // these do not begin a transaction
            case BIND, EXECUTE -> transaction.began(true);
            default -> transaction.began(false);
        }
        to.pipeline.sent(what);
    }

    /**
     * The effect of the next statement belongs to the connection, so the client keeps the connection from now on.
     *
     * @param why the cause, for SHOW CLIENTS
     */
    void pin(String why) {
        if (tenure.pin(why)) {
            status.pinned(why);
        }
    }

    /** What pinned the client is dropped with the reset of its connection. */
    void unpin() {
        tenure.unpin();
        status.pinned("");
    }

    /** Sends our own answers that are due, unless a message of the server is half forwarded. */
    void tell(Link to) {
        if (!to.in.isPassing()) {
            to.pipeline.answerAbsorbed(out);
        }
    }

    /**
     * Sends our own answers if the server owes none, which could bring them along. By itself such an answer wakes the client for
     * nothing: it waits for the whole round. PostgreSQL too keeps it back until then.
     */
    private void answerAlone() {
        Link to = tenure.link();
        if (to != null && !to.pipeline.awaitsServer()) {
            tell(to);
        }
    }

    /** Sends the batch again from a stale statement on, once the server has finished it. */
    void repeatAfterSync(Link to, byte[] messages) {
        again = messages;
        if (!to.pipeline.retract()) {
            to.out.message('S');
        }
        transaction.synced();
    }

    /** Whether a repetition is in progress: the server's messages until its end are dropped. */
    boolean isRepeating() {
        return again != null;
    }

    void renamed(String name) {
        status.renamed(name);
        showHolder();
    }

    private void showHolder() {
        if (rules.showsHolder()) {
            settings.showAs(client.holder().apply(status.application()));
        }
    }

    // ---- the end

    /** Tells the client why its session ends, and ends it. */
    private void end(String sqlState, @Nullable String message) {
        if (phase == Phase.ENDED) {
            return;
        }
        if (phase != Phase.LEAVING) {
            Link to = tenure.link();
            if (to == null || !to.in.isPassing()) {
                Fields.error(out, "FATAL", sqlState, message, "");
            }
            surroundings.close();
        }
        leave(0);
    }

    /**
     * The client gets nothing more. Its open transaction is rolled back. A running statement may finish within the grace
     * period and is then cancelled.
     */
    void leave(long graceNanos) {
        if (phase == Phase.ENDED) {
            return;
        }
        long by = surroundings.nanoTime() + graceNanos;
        if (phase == Phase.LEAVING) {
            leaveByNanos = Math.min(leaveByNanos, by);
            return;
        }
        phase = Phase.LEAVING;
        again = null;
        learned = null;
        out = new FrameWriter(buffers);
        out.discard();
        if (asked) {
            asked = false;
            surroundings.giveUp();
        }
        Link to = tenure.link();
        if (to == null) {
            finish();
            return;
        }
        leaveByNanos = by;
        if (in.isPassing()) { // the server got half a message: the connection cannot be reused
            leaveByNanos = surroundings.nanoTime();
        }
    }

    /** The session failed through a fault of ours: nothing it holds can be trusted. */
    public void abandon() {
        if (phase != Phase.ENDED) {
            surroundings.close();
            leave(0);
            release(false);
        }
    }

    private void finish() {
        phase = Phase.ENDED;
        status.idle();
        statements.dropNamed();
        surroundings.ended();
    }

    // ---- deadlines

    private void arm() {
        long due = due();
        if (due < armedNanos) {
            armedNanos = due;
            surroundings.wakeAt(due);
        }
    }

    private long due() {
        if (phase == Phase.ENDED) {
            return NEVER;
        }
        Errand ours = tenure.errand();
        if (ours != null) {
            return ours.deadlineNanos();
        }
        if (phase == Phase.LEAVING) {
            return tenure.isCancelling() ? NEVER : leaveByNanos;
        }
        long timeout = timeoutNanos();
        return timeout == 0 || asked ? NEVER : lastEventNanos + timeout;
    }

    /** How long nothing may happen; 0 for no limit. */
    private long timeoutNanos() {
        return (tenure.mayIdle() ? rules.idleTimeout() : rules.transactionTimeout()).toNanos();
    }

    private void onAlarm() {
        long now = surroundings.nanoTime();
        if (now < due()) {
            return;
        }
        if (tenure.errand() != null) {
            lost("it did not answer in time");
        } else if (phase == Phase.LEAVING) {
            Link to = tenure.link();
            if (cancelledToLeave || to == null || to.pipeline.isSettled()) {
                release(false);
            } else {
                cancelledToLeave = true;
                roundsAtCancel = to.pipeline.rounds();
                tenure.cancel();
            }
        } else if (tenure.mayIdle()) {
            end("57P05", "the client was idle for longer than it may");
        } else if (out.size() > 0) { // it reads nothing, so it cannot be told
            surroundings.close();
            leave(0);
        } else if (tenure.isClientsTurn()) {
            end("25P03", "the client was silent within a transaction for longer than it may");
        } else {
            lastEventNanos = now; // the server may work as long as it needs
        }
    }
}
