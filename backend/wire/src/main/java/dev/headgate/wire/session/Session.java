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
 * A client that is let in, as a state machine without I/O: takes its messages, has a connection leased when one is needed,
 * relays both ways, and gives the connection back as soon as the mode allows.
 *
 * <h2>Events and actions</h2>
 *
 * Whoever owns the sockets feeds what it has read to {@link #fromClient} and {@link #fromServer}, sends what stands in the
 * two writers, and tells of everything else by one method each: a lease granted or refused, an alarm, either side gone. The
 * session asks for what it wants by {@link Surroundings}. It never blocks and starts no thread; all calls come from one
 * thread. So every schedule of events can be played in a test, and two sessions on one thread cannot wait for each other.
 *
 * <h2>Who has which job</h2>
 *
 * <ul>
 *   <li>{@link Requests}: what a client's message becomes for the server.
 *   <li>{@link Answers}: what a server's message becomes for the client.
 *   <li>{@link ClientStatements}, {@link ClientSettings}: what the client has prepared and set, wherever it is served.
 *   <li>{@link Tenure}: the connection while the session has it, and what keeps it there.
 *   <li>{@link Errand}: Headgate's own commands on a connection, while no client uses it.
 *   <li>this class: when a connection is asked for and given back, deadlines, and how a session ends.
 * </ul>
 *
 * Every event ends in {@link #settle}, the one place that decides whether the connection can go back.
 *
 * <h2>What is the client's and what the connection's</h2>
 *
 * Prepared statements and settings belong to the client, and the connection it gets next may know neither. Statements are
 * kept by what they are and prepared where they are used; settings are put in place when a connection is leased. What
 * cannot be carried over keeps the client on its connection: it is <em>pinned</em>. A session that keeps its connection
 * anyway gets the server's own statements and names.
 *
 * <h2>Backpressure</h2>
 *
 * A peer is read only while less than {@value #ROOM} bytes wait for the other one ({@link #wantsClient},
 * {@link #wantsServer}). Reading the server never waits for the client's next message or the other way round, so a long
 * pipeline or a COPY cannot stop both.
 */
public final class Session {

    /** As many bytes may wait for one peer before the other one is not read any more. */
    static final int ROOM = 64 * 1024;

    /** A client that has gone leaves a running statement so long to end by itself. */
    static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** And so long after it was cancelled. */
    private static final long CANCELLED_GRACE_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** A connection that was lost before anything of the client's was sent is replaced so often. */
    private static final int MOST_REPLACED = 3;

    /** While the server owes so many answers, the client is not read. */
    private static final int MOST_OWED = 20_000;

    private static final long NEVER = Long.MAX_VALUE;

    private static final String STOPPING = "Headgate is stopping";

    private enum Phase {
        /** What the server would report of it is being asked for. */
        WELCOMING,
        SERVING,
        /** Nothing more is for the client; its connection is being put in order. */
        LEAVING,
        ENDED
    }

    /**
     * Who the client is.
     *
     * @param id unique among the port's sessions
     * @param secret shown with the id by who wants to cancel
     * @param application its application_name at first
     * @param holder how its leases are labelled, by the name of its application
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
    private final Answers answers;
    private final Surroundings surroundings;
    private final SessionStatus status;

    private Phase phase = Phase.SERVING;
    private boolean inEvent;
    private final Tenure tenure;
    private boolean asked;
    private @Nullable Consumer<Map<String, String>> learned;

    /** The statement that failed is stale; the batch is sent again once the server has ended it. */
    private byte @Nullable [] again;

    /** Something that has come was left for lack of room for it. */
    private boolean heldBack;

    /** The connection goes back once all that was written for it has been sent. */
    private boolean unsent;

    private boolean stopping;
    private boolean leasesNoMore;
    private int replaced;

    private long lastEventNanos;
    private long leaveByNanos = NEVER;
    private boolean cancelledToLeave;
    private long armedNanos = NEVER;

    /**
     * @param startup what its startup message set, by name, as commands ({@link dev.headgate.protocol.SettingsText#of})
     * @param schemas how often a schema was seen to change, counted by all sessions
     */
    public Session(
            Client client,
            Rules rules,
            Map<String, String> startup,
            FrameReader in,
            FrameWriter out,
            Buffers buffers,
            StatementCatalog catalog,
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
        ClientStatements statements = new ClientStatements(this, catalog, schemas);
        this.requests = new Requests(this, in, statements);
        this.answers = new Answers(this, requests, statements, schemas);
        this.lastEventNanos = surroundings.nanoTime();
        showHolder();
    }

    // ---- events

    /**
     * Ends the login: tells the client what the server reports of such a session, and that it may begin.
     *
     * @param known what that is; null where it must be asked for first, with a connection
     * @param ask told of it in that case
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

    /** The client's reader was fed. */
    public void fromClient() {
        event(this::heard);
    }

    /** The link's reader was fed. */
    public void fromServer() {
        event(this::heard);
    }

    /** A peer has taken bytes: there may be room for more. */
    public void drained() {
        event(this::heard);
    }

    private void heard() {
        lastEventNanos = surroundings.nanoTime();
    }

    /** The lease that was asked for. */
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

    /** There is no lease. */
    public void refused(String sqlState, @Nullable String message, String detail) {
        asked = false;
        status.idle();
        event(() -> refuse(sqlState, message, detail));
    }

    /** What {@link Surroundings#wakeAt} asked for. */
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

    /** A cancel that was asked for has been sent, or could not be. */
    public void cancelled() {
        tenure.cancelled();
        event(() -> {
            if (phase == Phase.LEAVING) {
                leaveByNanos = surroundings.nanoTime() + CANCELLED_GRACE_NANOS;
            }
        });
    }

    /** Somebody who knows the secret wants the client's present request cancelled; does nothing where there is none. */
    public void cancel(int secret) {
        if (secret == client.secret()) {
            event(tenure::cancel);
        }
    }

    /** No further transaction; an idle client is told at once. */
    public void stop() {
        stopping = true;
        event(() -> {});
    }

    /** What it waits for, and whatever it asks for from now on, is not done. */
    public void leaseNoMore() {
        leasesNoMore = true;
    }

    /** Ends the session as it is; an idle client is told why. */
    public void dismiss(String why) {
        event(() -> {
            if (tenure.link() == null && !asked) {
                end("57P01", why);
            } else {
                kill();
            }
        });
    }

    /** Ends the session as it is: what the server does for it is cancelled, what it waits for is not done. */
    public void kill() {
        event(() -> {
            leasesNoMore = true;
            surroundings.close();
            leave(0);
        });
    }

    /** Whether the client is to be read. */
    public boolean wantsClient() {
        Link to = tenure.link();
        return phase != Phase.ENDED
                && phase != Phase.LEAVING
                && in.buffered() < ROOM + requests.awaited()
                && (to == null || (to.out.size() < ROOM && to.pipeline.size() < MOST_OWED));
    }

    /** Whether all that the client has sent has been answered. */
    public boolean isIdle() {
        Link to = tenure.link();
        return !asked
                && in.buffered() == 0
                && !in.isOpen()
                && (to == null || (tenure.errand() == null && tenure.isQuiet()));
    }

    /** Whether something that has come waits for room that there is by now: tell it by {@link #drained}. */
    public boolean canGoOn() {
        Link to = tenure.link();
        return (heldBack && out.size() < ROOM && (to == null || to.out.size() < ROOM))
                || (unsent && to != null && to.out.size() == 0);
    }

    /** Whether the server is to be read. */
    public boolean wantsServer() {
        return out.size() < ROOM;
    }

    /** The link it holds at present. */
    public @Nullable Link link() {
        return tenure.link();
    }

    /** What it shows of itself, to any thread. */
    public SessionStatus status() {
        return status;
    }

    private void event(Step step) {
        if (phase == Phase.ENDED) {
            return;
        }
        if (inEvent) { // an answer that came within the call
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
            settle(); // the connection can go on
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
        repeatWhatWasStale();
        settle();
        if (phase == Phase.SERVING && rules.oneStatement() && tenure.isWithinTransaction()) {
            throw new ProtocolException(
                    "25001", "this domain is in statement mode: a transaction of several statements is not possible");
        }
    }

    private void repeatWhatWasStale() throws ProtocolException {
        Link to = tenure.link();
        byte[] repeated = again;
        if (to != null && repeated != null && to.pipeline.isSettled() && !tenure.isCancelling()) {
            again = null;
            requests.repeat(repeated);
        }
    }

    private void takeFromClient() throws ProtocolException {
        while (phase == Phase.SERVING && again == null && (in.isOpen() || in.next())) {
            Link to = tenure.link();
            if (to != null && to.out.size() >= ROOM) {
                heldBack = true;
                return;
            }
            if (in.isPassing()) {
                if (to == null || !in.passRest(to.out)) {
                    return;
                }
            } else if (!requests.take() && in.isOpen()) { // one that was refused is closed
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
            if (out.size() >= ROOM) {
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

    /** The link, leased where there is none; null where it must be waited for. */
    @Nullable
    Link toServer() {
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
            surroundings.close();
            leave(0);
            return;
        }
        asked = true;
        status.waiting();
        surroundings.lease(client.holder().apply(status.application()));
    }

    /** Puts the client's settings in place on the connection, where they are not. */
    private void adopt() {
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
            } else if (phase == Phase.WELCOMING) {
                end(failure.state(), failure.message());
            } else if (tenure.isBound()) {
                throwAway(failure.state(), failure.message());
            } else {
                release(true);
                refuse(failure.state(), failure.message(), "While the session's settings were put in place.");
            }
        });
    }

    /** Ends the session, and gives its connection up. */
    private void throwAway(String sqlState, @Nullable String message) {
        end(sqlState, message);
        release(false);
    }

    private void adopted() {
        replaced = 0;
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

    /** Tells the client that its present request, or its login, is not done. */
    private void refuse(String sqlState, @Nullable String message, String detail) {
        if (phase == Phase.WELCOMING) {
            end(sqlState, message);
            return;
        }
        if (phase != Phase.SERVING || !in.isOpen()) {
            return;
        }
        Fields.error(out, "ERROR", sqlState, message, detail);
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
     * Decides what becomes of the connection now that everything that came has been dealt with. The one place where it is
     * given back.
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
            if (phase == Phase.LEAVING) {
                tenure.endWhatIsOpen(() -> release(false));
            }
            return;
        }
        retry.forget();
        if (stopping && tenure.isBound()) {
            end("57P01", STOPPING);
        }
        if (phase != Phase.LEAVING && tenure.isBound()) {
            if (settings.takeChanged()) {
                adopt();
            }
        } else {
            giveBack(to);
        }
    }

    private void giveBack(Link to) {
        if (tenure.takeUnclean()) {
            tenure.run(to.reset(tenure.isBound()), failure -> {
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
        tenure.end(to, fit);
        if (phase == Phase.LEAVING) {
            finish();
        }
    }

    /** The server is gone, or what it says makes no sense: the connection is given up. */
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
        if (untouched && replaced++ < MOST_REPLACED) {
            if (phase == Phase.WELCOMING || in.isOpen()) { // nothing of it was sent
                askForLease();
            }
        } else if (half || told) { // nothing after half a message would be understood; the server has said why
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

    /** Notes what is about to be written, and so is to be answered. */
    void owe(Link to, Owed what) {
        switch (what.sent()) {
            case SYNC, OUR_SYNC, QUERY -> transaction.synced();
            case COPY_END, ABSORBED_PARSE, ABSORBED_CLOSE -> {} // nothing that the server would begin by
            case BIND, EXECUTE -> transaction.began(true);
            default -> transaction.began(false);
        }
        to.pipeline.sent(what);
        tell(to);
    }

    /**
     * A statement is about to be sent whose effect belongs to the connection: the client keeps it from now on.
     *
     * @param why what binds it
     */
    void pin(String why) {
        if (tenure.pin(why)) {
            status.pinned(why);
        }
    }

    /** Answers of our own whose turn has come, unless a message of the server's is half told. */
    void tell(Link to) {
        if (to.in.isPassing()) {
            return;
        }
        to.pipeline.answerAbsorbed(out);
    }

    /** The batch is sent again, from a stale statement on, as soon as the server has ended it. */
    void repeatAfterSync(Link to, byte[] messages) {
        again = messages;
        if (!to.pipeline.retract()) {
            to.out.message('S');
        }
        transaction.synced();
    }

    /** Whether a repetition is under way: what the server says until its end is for nobody. */
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
     * Nothing more is for the client. What it left undone is undone; a statement that runs may end by itself within the
     * grace, and is cancelled then.
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
        if (in.isPassing()) { // the server has half a message: the connection cannot be used again
            leaveByNanos = surroundings.nanoTime();
        }
    }

    /** The session failed by a fault of ours: nothing it holds can be trusted. */
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

    /** How long nothing may happen; 0 for ever. */
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
                tenure.cancel();
            }
        } else if (tenure.mayIdle()) {
            end("57P05", "the client was idle for longer than it may");
        } else if (out.size() > 0) { // it takes nothing: it cannot be told
            surroundings.close();
            leave(0);
        } else if (tenure.isClientsTurn()) {
            end("25P03", "the client was silent within a transaction for longer than it may");
        } else {
            lastEventNanos = now; // the server is at work, for as long as it takes
        }
    }
}
