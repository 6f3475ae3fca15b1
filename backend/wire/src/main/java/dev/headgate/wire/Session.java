package dev.headgate.wire;

import dev.headgate.engine.LeaseException;
import dev.headgate.engine.LeaseRequest;
import dev.headgate.engine.RelayLease;
import dev.headgate.engine.loop.EventLoop;
import dev.headgate.wire.Directory.Domain;
import dev.headgate.wire.protocol.Buffers;
import dev.headgate.wire.protocol.Effects;
import dev.headgate.wire.protocol.FrameReader;
import dev.headgate.wire.protocol.FrameWriter;
import dev.headgate.wire.protocol.Pipeline.Sent;
import dev.headgate.wire.protocol.ProtocolException;
import dev.headgate.wire.protocol.Statement;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * A client that is let in: takes its messages, leases a connection when one is needed, relays, and gives it back as soon
 * as the mode allows.
 *
 * <h2>One thread, sometimes two</h2>
 *
 * The session's thread reads the client and writes to the server until what came is passed on, then reads the server
 * until it has answered, as the server itself would take turns. That is all there is to nearly every request, and costs no
 * handover. It would deadlock where much is sent before anything is answered (a long pipeline, COPY): the server, its
 * answers unread, would stop reading. So before more than {@value #MUCH} bytes are sent without an answer a second thread
 * begins to read the server, until everything is answered, while this one goes on with the client. Whichever of the two
 * finds everything answered gives the connection back ({@link #endAnswering}). A client that listens has such a thread
 * for as long as it keeps its connection ({@link #listen}).
 *
 * <h2>What is the client's and what the connection's</h2>
 *
 * Prepared statements and settings belong to the client, and the connection it gets next may know neither. Statements are
 * kept by what they are and prepared where they are used ({@link Requests}); settings are put in place when a
 * connection is leased ({@link Link#adopt}). What cannot be carried over keeps the client on its connection, and a notice
 * says so.
 */
final class Session {

    /** Bytes that fit into the sockets' buffers with certainty. */
    private static final long MUCH = 32 * 1024;

    /** So long a server may take to answer that it has nothing to do. */
    private static final Duration HUSH = Duration.ofSeconds(5);

    final Admission admission;
    private final WireSettings wire;
    private final Domain domain;
    private final Socket socket;
    private final FrameReader in;
    private final FrameWriter out;
    private final Buffers buffers;
    private final Instant since = Instant.now();
    private volatile String application;
    private String holder;

    private final ClientSettings settings;
    private final Requests requests;
    private boolean pinned;
    private boolean unclean;
    private volatile byte status = 'I';
    private volatile boolean copyingIn;
    private boolean flushed;

    /** Messages of the extended protocol were sent and no Sync behind them: until then they are a transaction. */
    private volatile boolean unsynced;

    /** Something of that may have done work. */
    private boolean worked;

    private boolean skippingToSync;

    /**
     * Held while the lease changes, and while another thread uses it. Never while the client is written to: who cancels
     * may be one who has stopped reading.
     */
    private final ReentrantLock leasing = new ReentrantLock();

    private volatile @Nullable RelayLease lease;
    private @Nullable Link link;

    /** Held by whoever takes the session on: its own thread except while it waits for the client, or the answering one. */
    private final ReentrantLock turn = new ReentrantLock();

    private @Nullable Thread answering;
    private volatile @Nullable IOException answeringFailed;

    /** It has failed, or seen that everything is answered; it answers nothing that is sent from then on. */
    private volatile boolean answeringEnded;

    /**
     * Held for the pipeline, what is prepared, and the client's stream, which the answering thread shares. Never while the
     * server is written to or read: it may wait for its answers to be read first, or for what is sent next before it goes
     * on with half a message. So what is sent is noted before it is written, and what is read is here before it is held.
     */
    private final ReentrantLock exchange = new ReentrantLock();

    /** Reads the server for as long as the client has its connection, once it listens. */
    private @Nullable Thread listener;

    private boolean listens;

    /** A message of the server's that is longer than a buffer is being passed on: nobody else writes to the client. */
    private boolean within;

    /** What pins the session, until the client has been told. */
    private @Nullable String noticeDue;

    private volatile boolean leaving;
    private volatile boolean waiting;
    private volatile boolean stopping;
    private volatile boolean leasesNoMore;
    private final AtomicLong transactions = new AtomicLong();
    private final WatchedStream toClient;

    /** How much was sent when everything was answered last. */
    private long settledAt;

    Session(
            Admission admission,
            WireSettings wire,
            Domain domain,
            Socket socket,
            FrameReader in,
            WatchedStream toClient,
            Buffers buffers,
            Map<String, String> settings,
            AtomicLong schemas) {
        this.admission = admission;
        this.wire = wire;
        this.domain = domain;
        this.socket = socket;
        this.in = in;
        this.toClient = toClient;
        this.out = new FrameWriter(toClient, buffers);
        this.buffers = buffers;
        this.settings = new ClientSettings(settings);
        this.requests = new Requests(this, in, domain, this.settings, schemas);
        this.application = admission.application();
        this.holder = admission.holder(application);
        showHolder();
    }

    /** Serves the client until it leaves, fails or is told to. Blocks. */
    void serve() throws IOException {
        try {
            while (!stopping) {
                if (!nextMessage() || in.type() == 'X') {
                    return;
                }
                turn.lock();
                try {
                    answerBeside();
                    take();
                    if (!in.hasMore()) {
                        settle();
                    }
                } finally {
                    turn.unlock();
                }
                if (answeringEnded && !in.hasMore()) {
                    endAnswering();
                }
            }
            end("57P01", "Headgate is stopping");
        } catch (ProtocolException refused) {
            end(refused.sqlState(), refused.getMessage());
        } catch (SocketTimeoutException late) {
            if (mayIdle()) {
                end("57P05", "the client was idle for longer than it may");
            } else {
                end("25P03", "the client was silent within a transaction for longer than it may");
            }
        } catch (IOException broken) {
            if (link != null) { // it may be the database's; if it is the client's, this is heard by nobody
                end("08006", "a connection was lost: " + broken.getMessage());
            }
            throw broken;
        } finally {
            leave();
        }
    }

    /** Waits for the client, as long as it may stay silent. */
    private boolean nextMessage() throws IOException {
        while (!in.hasMore()) {
            boolean idle = mayIdle();
            Duration patience = idle ? wire.idleTimeout() : wire.transactionTimeout();
            socket.setSoTimeout((int) Math.min(Integer.MAX_VALUE, patience.toMillis()));
            try {
                return in.next();
            } catch (SocketTimeoutException late) {
                if (idle == mayIdle()) {
                    throw late;
                }
                // its transaction was answered to the end meanwhile
            }
        }
        return in.next();
    }

    /** Whether the client holds nothing that others wait for, or may keep its connection while it does nothing. */
    private boolean mayIdle() {
        turn.lock();
        try {
            Link to = link;
            return to == null
                    || ((listens || domain.mode() == PoolMode.SESSION)
                            && status == 'I'
                            && !unsynced
                            && !copyingIn
                            && answering == null);
        } finally {
            turn.unlock();
        }
    }

    private void end(String state, @Nullable String message) throws IOException {
        exchange.lock();
        try {
            if (!within) { // half a message is with the client: nothing after it would be understood
                Fields.error(out, "FATAL", state, message, "");
                out.flush();
            }
        } finally {
            exchange.unlock();
        }
    }

    // ---- from the client

    private void take() throws IOException {
        char type = in.type();
        if (skippingToSync && type != 'S') {
            return; // as the server does after an error
        }
        switch (type) {
            case 'Q' -> requests.query();
            case 'P' -> requests.parse();
            case 'B' -> requests.bind();
            case 'D' -> requests.describe();
            case 'E' -> requests.execute();
            case 'C' -> requests.close();
            case 'H' -> {
                Link to = link;
                if (to != null) {
                    in.pass(to.out);
                    flushed = true;
                }
            }
            case 'S' -> sync();
            case 'd', 'c', 'f' -> copy(type);
            case 'F' -> requests.call();
            default -> throw new ProtocolException("a message of type '" + type + "' is nothing a client sends");
        }
    }

    /** The connection is reset before anyone else gets it, where that is so. */
    void noteUnclean(boolean so) {
        unclean |= so;
    }

    /** Before a statement is sent that binds the client to its connection. */
    void expect(Effects effects) throws IOException {
        listens |= effects.pinnedBy().filter("LISTEN"::equals).isPresent();
        if (effects.pinnedBy().isPresent() && !pinned && domain.mode() != PoolMode.SESSION) {
            pinned = true;
            unclean = true;
            exchange.lock();
            try {
                noticeDue = effects.pinnedBy().get();
                tell(Objects.requireNonNull(link));
            } finally {
                exchange.unlock();
            }
        }
        unclean |= domain.mode() == PoolMode.SESSION || effects.pinnedBy().isPresent();
    }

    private void sync() throws IOException {
        skippingToSync = false;
        Link to = link;
        if (to == null) {
            ready();
            return;
        }
        exchange.lock();
        try {
            if (!copyingIn) {
                owe(to, Sent.SYNC); // within a copy the server ignores it
            }
        } finally {
            exchange.unlock();
        }
        in.pass(to.out);
    }

    private void copy(char type) throws IOException {
        Link to = link;
        if (to == null) {
            return; // the copy has failed and is over; the rest of it means nothing, as at the server
        }
        if (type != 'd') {
            exchange.lock();
            try {
                if (copyingIn) {
                    copyingIn = false;
                } else {
                    // some send it all at once; where nothing is copied, the server takes no notice of it
                    owe(to, Sent.COPY_END);
                }
            } finally {
                exchange.unlock();
            }
        }
        in.pass(to.out);
    }

    // ---- to the server

    void owe(Link to, Sent what) throws IOException {
        owe(to, what, () -> {});
    }

    /** Notes what is about to be written, and so is to be answered. */
    void owe(Link to, Sent what, Runnable undo) throws IOException {
        owe(to, what, undo, () -> {}, null, null);
    }

    void owe(Link to, Sent what, Runnable undo, Runnable done, @Nullable String tag, @Nullable Statement statement)
            throws IOException {
        exchange.lock();
        try {
            boolean ends = what == Sent.SYNC || what == Sent.OUR_SYNC || what == Sent.QUERY;
            unsynced = !ends && (unsynced || what != Sent.COPY_END);
            worked = !ends && (worked || what == Sent.BIND || what == Sent.EXECUTE);
            to.pipeline.sent(what, undo, done, tag, statement);
            tell(to);
        } finally {
            exchange.unlock();
        }
    }

    /**
     * The server's name of a statement, which is prepared there from now on.
     *
     * @param as what the client is owed for it: an answer to its own Parse, or nothing
     * @param undo run if it fails or is skipped
     */
    String prepared(Link to, Statement statement, Sent as, Runnable undo) throws IOException {
        String known;
        Link.Preparation preparation = null;
        unsynced = true;
        exchange.lock();
        try {
            known = to.nameOf(statement);
            if (known == null) {
                preparation = to.prepare(statement, as, undo);
                known = preparation.name();
            } else if (as == Sent.PARSE) {
                to.pipeline.sent(Sent.ABSORBED_PARSE, undo);
                tell(to);
            }
        } finally {
            exchange.unlock();
        }
        if (preparation != null) {
            to.send(preparation);
        }
        return known;
    }

    /** Has a second thread answer from now on, where much is sent before anything was answered. */
    private void answerBeside() throws IOException {
        if (answeringEnded) { // everything was answered for a moment
            forgetAnswering();
        }
        Link to = link;
        if (to == null
                || answering != null
                || listener != null
                || to.out.written() + in.length() - settledAt <= MUCH
                || isAnswered(to)) {
            return;
        }
        to.out.flush();
        startAnswering(to);
    }

    private void startAnswering(Link to) {
        answering = EventLoop.startBeside("wire-" + admission.process() + "-answers", () -> answerAll(to));
    }

    /** Reads the server until everything is answered. On the second thread. */
    private void answerAll(Link to) {
        try {
            answers(to, true);
            flushClient();
        } catch (IOException failed) {
            answeringFailed = failed;
            abandon(); // the session's own thread may be writing to it
        }
        answeringEnded = true;
        try {
            endAnswering();
            if (stopping && lease == null) {
                tellLast("57P01", "Headgate is stopping");
            }
        } catch (ProtocolException lost) {
            tellLast(lost.sqlState(), lost.getMessage());
        } catch (IOException gone) {
            kill();
        }
    }

    /**
     * What is due once everything is answered, and the session's own thread may be waiting for the client. Called when the
     * second thread has said that it ended, and by the first one after each turn: one of the two sees that it is due.
     */
    private void endAnswering() throws IOException {
        if (!turn.tryLock()) {
            return;
        }
        try {
            if (answeringEnded && link != null && !in.hasMore()) {
                settle();
            }
        } finally {
            turn.unlock();
        }
    }

    private void forgetAnswering() throws IOException {
        answering = null;
        answeringEnded = false;
        IOException failure = answeringFailed;
        if (failure != null) {
            lost(failure);
        }
    }

    /** The server's side is broken: whoever writes to it shall notice. */
    private void abandon() {
        RelayLease held = lease;
        if (held != null) {
            try {
                held.socket().close();
            } catch (IOException e) {
                // it is being given up
            }
        }
    }

    /** The link, leased where there is none; null where the request was refused and the client told so. */
    @Nullable
    Link toServer() throws IOException {
        Link known = link;
        if (known != null) {
            return known;
        }
        waiting = true;
        RelayLease got;
        try {
            got = domain.pool().relay(new LeaseRequest(holder, Long.MAX_VALUE));
        } catch (LeaseException refused) {
            refuse(
                    refused.getSQLState(),
                    refused.getMessage(),
                    "Domain %s, waited %.1f ms, size %d of ceiling %d, %d in use, %d waiting. %s"
                            .formatted(
                                    refused.situation().domain(),
                                    refused.situation().waitedNanos() / 1e6,
                                    refused.situation().size(),
                                    refused.situation().ceiling(),
                                    refused.situation().inUse(),
                                    refused.situation().waiting(),
                                    refused.situation().reason())
                            .strip());
            return null;
        } finally {
            waiting = false;
        }
        if (leasesNoMore) {
            got.close();
            throw new IOException("the session was ended while it waited");
        }
        Link fresh;
        try {
            fresh = Link.of(got, buffers);
            // a query may take as long as it takes; JDBC's own bound is put back at the lease's end
            got.socket().setSoTimeout(0);
            fresh.adopt(settings.present());
        } catch (SQLException refused) {
            got.discard();
            refuse(refused.getSQLState(), refused.getMessage(), "While the session's settings were put in place.");
            return null;
        } catch (IOException broken) {
            got.discard();
            refuse("08006", "the server closed the connection: " + broken.getMessage(), "");
            return null;
        }
        leasing.lock();
        try {
            lease = got;
            link = fresh;
        } finally {
            leasing.unlock();
        }
        settledAt = fresh.out.written();
        return fresh;
    }

    /** Tells the client that its request was not made. */
    private void refuse(String state, @Nullable String message, String detail) throws IOException {
        exchange.lock();
        try {
            Fields.error(out, "ERROR", state, message, detail);
            if (in.type() == 'Q' || in.type() == 'F') {
                ready();
            } else {
                skippingToSync = true;
            }
        } finally {
            exchange.unlock();
        }
    }

    private void ready() throws IOException {
        out.message('Z', status);
    }

    // ---- from the server

    /** What came is passed on: waits for what is due, and gives the connection back where it may. */
    private void settle() throws IOException {
        Link to = link;
        if (to == null) {
            flushClient();
            return;
        }
        to.out.flush();
        if (answeringEnded) { // maybe before it saw what was sent last
            forgetAnswering();
        }
        if (listener != null || answering != null) {
            flushClient(); // what was answered here; all else is that thread's
            return;
        }
        if (copyingIn) { // nothing is due before its end, but it may fail
            startAnswering(to);
            return;
        }
        if (to.pipeline.rounds() > 0 || flushed) {
            try {
                answers(to, false);
            } catch (IOException broken) {
                lost(broken);
            }
        }
        flushed = false;
        flushClient();
        if (unsynced && !worked && status == 'I' && isAnswered(to)) {
            endPreparing(to);
        }
        release();
        if (listens && link != null) {
            listener = EventLoop.startBeside("wire-" + admission.process() + "-listens", () -> listen(to));
        }
    }

    /**
     * Some prepare with a Flush and send the Sync with the first execution, whenever that is: it does not keep the
     * connection until then.
     */
    private void endPreparing(Link to) throws IOException {
        skippingToSync = to.pipeline.isSkipping();
        owe(to, Sent.OUR_SYNC);
        to.out.message('S').flush();
        try {
            answers(to, false);
        } catch (IOException broken) {
            lost(broken);
        }
    }

    /** Tells the client whatever the server says, asked or not, until the client leaves. */
    private void listen(Link to) {
        try {
            while (to.in.next()) {
                if (leaving) {
                    if (to.in.type() == 'Z') {
                        return;
                    }
                    continue;
                }
                answer(to);
                if (!to.in.hasMore()) {
                    flushClient();
                }
            }
            throw new IOException("the server closed the connection");
        } catch (IOException broken) {
            answeringFailed = broken;
            if (!leaving) {
                tellLast("08006", "the connection to the database was lost: " + broken.getMessage());
            }
        }
    }

    /** Ends the session from another thread than its own. */
    private void tellLast(String state, @Nullable String why) {
        try {
            end(state, why);
        } catch (IOException gone) {
            // then nobody is to be told
        } finally {
            kill();
        }
    }

    /** Has the server answer once more, so that who listens to it wakes up; whether it did. Blocks. */
    private boolean hushed(Link to, Thread listening) {
        leaving = true;
        try {
            to.out.message('S').flush();
            return listening.join(HUSH) && answeringFailed == null;
        } catch (IOException broken) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /**
     * Reads the server and tells the client, until nothing is due.
     *
     * @param beside whether the session's thread goes on sending meanwhile
     */
    private void answers(Link to, boolean beside) throws IOException {
        for (; ; ) {
            if (beside ? isAnswered(to) : isAnsweredForNow(to)) {
                return;
            }
            if (!to.in.hasMore()) {
                flushClient();
            }
            if (!to.in.next()) {
                throw new IOException("the server closed the connection");
            }
            if (answer(to) && !beside) {
                return;
            }
        }
    }

    private boolean isAnswered(Link to) {
        exchange.lock();
        try {
            return to.pipeline.isSettled();
        } finally {
            exchange.unlock();
        }
    }

    private boolean isAnsweredForNow(Link to) {
        exchange.lock();
        try {
            return to.pipeline.isSettled() || (to.pipeline.rounds() == 0 && !flushed);
        } finally {
            exchange.unlock();
        }
    }

    /** Passes one message on; true where it is the client's turn. */
    private boolean answer(Link to) throws IOException {
        char type = to.in.type();
        boolean whole = to.in.gather();
        boolean shown;
        String tag = null;
        exchange.lock();
        try {
            switch (type) {
                case 'D', 'd', 'N', 'A' -> shown = true;
                case 'S' -> {
                    noteReported(to.in.peek(Requests.PEEKED));
                    shown = true;
                }
                case 'Z' -> {
                    status = to.in.peek(1)[0];
                    shown = to.pipeline.answered(type);
                    ended(to);
                }
                case 'G' -> {
                    unsynced |= to.pipeline.isExecuting(); // the Sync that was sent with it is ignored
                    copyingIn = !to.pipeline.copies();
                    shown = true;
                }
                case 'C' -> {
                    tag = to.pipeline.tag();
                    String done = Requests.text(to.in.peek(16));
                    settings.completed(done);
                    requests.completed(done);
                    shown = to.pipeline.answered(type);
                }
                case 'E' -> {
                    settings.failed();
                    copyingIn = false;
                    requests.failed(to);
                    shown = to.pipeline.answered(type);
                }
                default -> shown = to.pipeline.answered(type);
            }
            if (tag != null) {
                out.header('C', FrameWriter.sizeOf(tag)).cString(tag);
            } else if (shown && whole) {
                to.in.pass(out);
            }
            within = shown && !whole && tag == null;
            tell(to);
        } finally {
            exchange.unlock();
        }
        if (within) {
            to.in.pass(out);
            exchange.lock();
            try {
                within = false;
                tell(to);
            } finally {
                exchange.unlock();
            }
        }
        if (type == 'G' && copyingIn) {
            flushClient();
            return true;
        }
        if (type == 'W') {
            throw new ProtocolException("0A000", "replication is not relayed");
        }
        return false;
    }

    /** What the client is to be told beside the server's messages, unless one of those is half told. */
    private void tell(Link to) throws IOException {
        if (within) {
            return;
        }
        String binds = noticeDue;
        if (binds != null) {
            noticeDue = null;
            Fields.notice(
                    out,
                    "this session keeps its connection from now on: " + binds + " belongs to a connection",
                    "Connections are shared by transactions here; what a session leaves on one cannot follow it to another.");
        }
        to.pipeline.answerAbsorbed(out);
    }

    /** A parameter that the server reports: the client has it so, and this connection too. */
    private void noteReported(byte[] body) throws ProtocolException {
        String name = FrameReader.cString(body, 0);
        String value = FrameReader.cString(body, FrameReader.after(body, 0));
        Link to = Objects.requireNonNull(link);
        to.reported.put(name, value);
        if (name.equals("application_name")) {
            application = value;
            holder = admission.holder(value);
            showHolder();
        }
        settings.reported(name, value, to);
    }

    private void showHolder() {
        if (wire.showHolder()) {
            settings.showAs(holder);
        }
    }

    private void ended(Link to) {
        settings.ready(status == 'I', to);
        if (status == 'I') {
            transactions.incrementAndGet();
            requests.ended();
        }
    }

    private void flushClient() throws IOException {
        exchange.lock();
        try {
            if (!within) {
                out.flush();
            }
        } finally {
            exchange.unlock();
        }
    }

    /** The server is gone, or what it says makes no sense: the connection is given up and the client told so. */
    private void lost(IOException why) throws IOException {
        Link was = link;
        giveUp(false);
        if (was != null && was.in.isWithin()) {
            throw why; // half a message is with the client: nothing after it would be understood
        }
        throw new ProtocolException("08006", "the connection to the database was lost: " + why.getMessage());
    }

    // ---- the lease's end

    private void release() throws IOException {
        Link to = link;
        if (to == null || status != 'I' || unsynced || !isSettled(to) || copyingIn) {
            if (domain.mode() == PoolMode.STATEMENT && to != null && status != 'I' && isAnswered(to)) {
                throw new ProtocolException(
                        "25001",
                        "this domain is in statement mode: a transaction of several statements is not possible");
            }
            return;
        }
        settledAt = to.out.written();
        if (pinned || domain.mode() == PoolMode.SESSION) {
            adoptAgain(to);
            return;
        }
        giveUp(true);
    }

    private boolean isSettled(Link to) {
        exchange.lock();
        try {
            return to.pipeline.isSettled() && !to.pipeline.isSkipping();
        } finally {
            exchange.unlock();
        }
    }

    private void adoptAgain(Link to) throws IOException {
        if (settings.takeChanged()) {
            try {
                to.adopt(settings.present());
            } catch (SQLException refused) {
                throw new ProtocolException(refused.getSQLState(), refused.getMessage());
            }
        }
    }

    private void giveUp(boolean fit) {
        RelayLease held;
        leasing.lock(); // a cancel request that is on its way is waited for: it must not hit the next one's query
        try {
            held = lease;
            Link was = link;
            lease = null;
            link = null;
            if (held == null || was == null) {
                return;
            }
            boolean clean = fit;
            if (clean && (unclean || wire.alwaysReset())) {
                try {
                    was.reset();
                    unclean = false;
                } catch (IOException | SQLException e) {
                    clean = false;
                }
            }
            if (clean) {
                try {
                    held.socket().setSoTimeout(was.readTimeoutMillis);
                } catch (IOException e) {
                    clean = false;
                }
            }
            if (clean) {
                held.close();
            } else {
                held.discard();
            }
        } finally {
            leasing.unlock();
        }
    }

    /** The client has gone. What it left undone is undone: a transaction by the end of its connection. */
    private void leave() {
        turn.lock();
        try {
            Link was = linkWhenTold();
            if (was == null) {
                return;
            }
            boolean settled = status == 'I' && !unsynced && isSettled(was) && answering == null && !copyingIn;
            if (!settled && !isAnswered(was)) {
                cancel();
            }
            Thread listening = listener;
            settled &= listening == null || hushed(was, listening);
            giveUp(settled);
        } finally {
            turn.unlock();
        }
    }

    /** The link, once whoever is telling the client why it ends has done so: its socket is closed after this. */
    private @Nullable Link linkWhenTold() {
        leasing.lock();
        try {
            return link;
        } finally {
            leasing.unlock();
        }
    }

    // ---- from other threads

    /** Asks the server to end what it is doing for this client; nothing if it is doing nothing. Blocks. */
    void cancel() {
        leasing.lock();
        try {
            RelayLease held = lease;
            if (held != null) {
                held.connection().unwrap(PGConnection.class).cancelQuery();
            }
        } catch (SQLException e) {
            // as with the server: nobody is told
        } finally {
            leasing.unlock();
        }
    }

    /** No further transaction; an idle client is told at once. */
    void stop() {
        stopping = true;
        leasing.lock();
        try {
            endIfIdle("Headgate is stopping");
        } finally {
            leasing.unlock();
        }
    }

    /** What it waits for, and whatever it asks for from now on, is not done; its session ends with that. */
    void leaseNoMore() {
        leasesNoMore = true;
    }

    /** Ends the session as {@link #kill} does; an idle client is told why. */
    void dismiss(String why) {
        if (leasing.tryLock()) { // where it is held the session is not idle
            try {
                endIfIdle(why);
            } finally {
                leasing.unlock();
            }
        }
        kill();
    }

    private void endIfIdle(String why) {
        if (lease != null || waiting) {
            return;
        }
        try {
            FrameWriter last = new FrameWriter(socket.getOutputStream(), buffers);
            Fields.error(last, "FATAL", "57P01", why, "");
            last.flush();
        } catch (IOException e) {
            // it has gone by itself
        } finally {
            close();
        }
    }

    /** Ends the session as it is: what the server does for it is cancelled, what it waits for is not done. */
    void kill() {
        leaseNoMore();
        close();
        if (lease != null) {
            Thread.ofVirtual().name("wire-" + admission.process() + "-cancel").start(this::cancel);
        }
    }

    private void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // it is closed
        }
    }

    /** Whether it holds a lease and its client has taken nothing for longer than it may. */
    boolean isStalled(long nowNanos) {
        return lease != null
                && !wire.transactionTimeout().isZero()
                && toClient.writingNanos(nowNanos) > wire.transactionTimeout().toNanos();
    }

    ClientStatus status() {
        RelayLease held = lease;
        return new ClientStatus(
                admission.process(),
                domain.pool().domain(),
                admission.user(),
                admission.address(),
                application,
                held != null ? "active" : waiting ? "waiting" : "idle",
                held != null ? held.connectionId() : "",
                since,
                transactions.get());
    }
}
