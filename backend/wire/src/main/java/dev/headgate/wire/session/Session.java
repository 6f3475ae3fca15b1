package dev.headgate.wire.session;

import dev.headgate.protocol.Buffers;
import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.FrameWriter;
import dev.headgate.protocol.ProtocolException;
import dev.headgate.protocol.StatementCatalog;
import java.util.Map;
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
 *   <li>{@link Pump}: moves messages both ways while there is room.
 *   <li>{@link Requests}: translates the client's messages for the server.
 *   <li>{@link Answers}: translates the server's messages for the client.
 *   <li>{@link OwnAnswers}: what Headgate itself answers the client.
 *   <li>{@link ClientStatements}, {@link ClientSettings}: the client's prepared statements and settings, on any connection.
 *   <li>{@link LastingEffects}: what the client's statements do beyond their transaction.
 *   <li>{@link Leasing}: gets a connection and gives it back.
 *   <li>{@link Tenure}: the connection while the session holds it, and what keeps it there.
 *   <li>{@link Errand}: Headgate's own commands on a connection, while no client uses it.
 *   <li>{@link Life}: the phase of the session, and its end.
 *   <li>{@link Deadlines}: how long the session waits for either side.
 *   <li>this class: makes these parts and tells them of the events, one after another.
 * </ul>
 *
 * Every event ends in {@link Leasing#settle}, the only place that decides whether to release the connection.
 *
 * <p>{@code Deadlines} knows {@code Leasing}, which knows {@code Life}, which knows {@code Tenure}, which knows {@code OwnAnswers};
 * none of them knows a part above it or this class. {@code Pump}, {@code Requests} and {@code Answers} use all of them, through
 * this class.
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
 * A peer is read only while fewer than {@link Rules#room} bytes wait for the other one ({@link #wanted},
 * {@link #wantsServer}). Reading the server never waits for the client's next message, and reading the client waits for the
 * server's only while that owes {@link Rules#owed} answers, which a Flush makes it send. So a long pipeline or a COPY cannot
 * block both. There are many more clients than connections, so one without a connection is read only a little ahead, and where the
 * buffers of its domain are {@linkplain Surroundings#isFull full}, to the end of its message; and then a connection is released only
 * when the client has taken its answers.
 */
public final class Session {

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
    final OwnAnswers own;
    final Tenure tenure;
    final Life life;
    final Leasing leasing;
    private final Client client;
    private final FrameReader in;
    private final Surroundings surroundings;
    private final SessionStatus status;
    private final Pump pump;
    private final Deadlines deadlines;
    private boolean inEvent;

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
        this.surroundings = surroundings;
        this.holdings = new Holdings(surroundings);
        this.settings = new ClientSettings(startup);
        this.status = new SessionStatus(client.id(), client.application());
        this.own = new OwnAnswers(client, in, out, buffers, transaction, status);
        this.tenure = new Tenure(rules, transaction, own, status, surroundings, in);
        ClientStatements statements = new ClientStatements(this, catalog, texts, schemas);
        this.life = new Life(tenure, own, retry, statements, in, surroundings);
        this.leasing = new Leasing(tenure, life, own, settings, retry, in, this::holder);
        this.deadlines = new Deadlines(rules, tenure, life, leasing, own, surroundings);
        LastingEffects lasting = new LastingEffects(this, statements);
        Requests requests = new Requests(this, in, statements, lasting);
        this.pump = new Pump(this, in, requests, new Answers(this, lasting, statements, schemas));
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
                own.greet(known);
                life.serve();
            } else {
                life.welcome();
                leasing.askToGreet(ask);
            }
        });
    }

    /** The client's reader has new input. */
    public void fromClient() {
        event(deadlines::heard);
    }

    /** The link's reader has new input. */
    public void fromServer() {
        event(deadlines::heard);
    }

    /** A peer has accepted bytes, so there may be room for more. */
    public void drained() {
        event(deadlines::heard);
    }

    /** The requested lease is granted. */
    public void leased(Link granted) {
        tenure.answered();
        if (life.hasEnded()) {
            surroundings.release(granted, true);
            return;
        }
        event(() -> {
            deadlines.heard();
            leasing.begin(granted);
        });
    }

    /** The requested lease is refused. */
    public void refused(String sqlState, @Nullable String message, String detail) {
        tenure.answered();
        status.idle();
        event(() -> leasing.refuse(sqlState, message, detail));
    }

    /** The instant that {@link Surroundings#wakeAt} asked for has come. */
    public void alarm() {
        deadlines.disarm();
        event(deadlines::enforce);
    }

    /** The client has closed its connection, or it broke. */
    public void clientGone() {
        event(life::clientGone);
    }

    /** The server has closed the connection, or it broke. */
    public void serverGone(String why) {
        event(() -> leasing.lost(why));
    }

    /** A requested cancel has been sent, or could not be sent. */
    public void cancelled() {
        tenure.cancelled();
        event(life::cancelled);
    }

    /** Cancels the client's current request, for a caller that knows the secret. Does nothing if there is none. */
    public void cancel(int secret) {
        if (secret == client.secret()) {
            event(leasing::cancelRequest);
        }
    }

    /** Cancels the client's current request, for an operator. Does nothing if there is none. */
    public void cancelForOperator() {
        event(leasing::cancelRequest);
    }

    /** Allows no further transaction; an idle client is told at once. */
    public void stop() {
        leasing.stop();
        event(() -> {});
    }

    /** Refuses what it waits for and every later request: that ends the session, and its client is told why. */
    public void leaseNoMore(String why) {
        leasing.leaseNoMore(why);
    }

    /**
     * Ends the session at once and tells its client why. Cancels its running statement; the connection that it holds may serve
     * others.
     */
    public void dismiss(String why) {
        event(() -> life.end("57P01", why));
    }

    /**
     * Ends the session at once and tells its client why. Cancels its running statement, and discards the connection that it
     * holds.
     */
    public void expel(String why) {
        event(() -> {
            leasing.condemn();
            life.end("57P01", why);
        });
    }

    /** Ends the session at once: cancels its running statement and refuses what it waits for. */
    public void kill() {
        event(() -> {
            leasing.leaseNoMore();
            life.hangUp();
        });
    }

    /** The session failed through a fault of ours: nothing it holds can be trusted. */
    public void abandon() {
        if (!life.hasEnded()) {
            life.hangUp();
            leasing.release(false);
        }
    }

    private void event(Step step) {
        if (life.hasEnded()) {
            return;
        }
        if (inEvent) { // called back from within an event
            try {
                step.run();
            } catch (ProtocolException refused) {
                life.end(refused.sqlState(), refused.getMessage());
            }
            return;
        }
        inEvent = true;
        try {
            step.run();
            pump();
        } catch (ProtocolException refused) {
            life.end(refused.sqlState(), refused.getMessage());
            leasing.settle(); // the connection is still usable
        } finally {
            inEvent = false;
        }
        deadlines.arm();
    }

    private void pump() throws ProtocolException {
        try {
            pump.fromServer();
        } catch (ProtocolException nonsense) {
            leasing.throwAway(nonsense.sqlState(), nonsense.getMessage());
            return;
        }
        pump.fromClient();
        leasing.settle();
        if (life.isServing() && rules.oneStatement() && tenure.isWithinTransaction()) {
            throw new ProtocolException(
                    "25001", "this domain is in statement mode: a transaction of several statements is not possible");
        }
    }

    // ---- what its owner asks

    /** The most bytes to read from the client at once; 0 while it should not be read. */
    public int wanted() {
        return life.hasEnded() || life.isLeaving() ? 0 : pump.wanted();
    }

    /** Whether the client should be read. */
    public boolean wantsClient() {
        return wanted() > 0;
    }

    /** Whether the server should be read. */
    public boolean wantsServer() {
        return pump.wantsServer();
    }

    /** The most bytes to read from the server at once. */
    public int room() {
        return rules.room();
    }

    /** Whether unhandled input now has room: call {@link #drained} then. */
    public boolean canGoOn() {
        return !life.hasEnded() && (pump.canGoOn() || leasing.canGoOn());
    }

    /** About how many bytes it holds of what was read from its peers, and of what its server gets; without what it has reserved. */
    public long held() {
        return pump.held();
    }

    /** Whether all requests of the client have been answered. */
    public boolean isIdle() {
        Link to = tenure.link();
        return !tenure.isAskedFor()
                && in.buffered() == 0
                && !in.isOpen()
                && (to == null || (tenure.errand() == null && tenure.isQuiet()));
    }

    /** The link that the session holds now. */
    public @Nullable Link link() {
        return tenure.link();
    }

    /** The session's figures; any thread may read them. */
    public SessionStatus status() {
        return status;
    }

    // ---- for the parts

    boolean isFull() {
        return surroundings.isFull();
    }

    long nanoTime() {
        return surroundings.nanoTime();
    }

    /** The server has reported another application_name. */
    void renamed(String name) {
        status.renamed(name);
        showHolder();
    }

    private void showHolder() {
        if (rules.showsHolder()) {
            settings.showAs(holder());
        }
    }

    private String holder() {
        return client.holder().apply(status.application());
    }
}
