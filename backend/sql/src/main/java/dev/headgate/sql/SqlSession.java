package dev.headgate.sql;

import dev.headgate.engine.LeaseException;
import dev.headgate.engine.Pool;
import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.FrameWriter;
import dev.headgate.protocol.ProtocolException;
import dev.headgate.wire.ClientEnd;
import dev.headgate.wire.Relay;
import dev.headgate.wire.RelayLoop;
import dev.headgate.wire.loop.Loop;
import dev.headgate.wire.session.Rules;
import dev.headgate.wire.session.Session;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
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
 * length.
 *
 * <h2>Threads</h2>
 *
 * The public methods may be called by any thread and do not block, except {@link #submit} where it says so. All state belongs
 * to the loop's thread. Listeners are called there.
 */
public final class SqlSession implements AutoCloseable {

    /** The rounds that a fair caller sends before others have their turn. */
    static final int TURN = 32;

    /** Rows are handed on when so many bytes of them have been gathered, or when no more have arrived. */
    private static final int BATCH = 16 * 1024;

    /** Bytes of a row that are not counted. */
    private static final int FREE_ROW = 64 * 1024;

    private static final String COPIES = "COPY between a program and the server is not spoken here; use the wire port";

    /**
     * The least time between two calls of {@link AnswerListener#arrived} while rounds are left. The server sends the answer to each
     * of many rounds by itself, and to wake a thread for each costs more than the server's work on it.
     */
    private static final long SPACING_NANOS = 1_000_000;

    private record Round(List<Query> queries, AnswerListener listener) {}

    private final Loop loop;
    private final Caller caller;
    private final Session.Client who;
    private final FrameWriter request;
    private final FrameReader answers = new FrameReader();
    private final End end;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    /** Places for rounds that wait to be sent. */
    private final Semaphore places;

    /** Rounds that were not sent yet. */
    private final ArrayDeque<Round> waiting = new ArrayDeque<>();

    /** Rounds whose answers are not complete. */
    private final ArrayDeque<Round> sent = new ArrayDeque<>();

    private @Nullable Relay relay;
    private int sentInTurn;
    private boolean sendsSoon;
    private boolean sending;
    private boolean paused;
    private boolean draining;
    private boolean closed;

    /** Why the rounds that are left fail. */
    private SqlFailure why = SqlFailure.of("08006", "the session has ended");

    /** Has taken answers and was not told that these are all. */
    private @Nullable AnswerListener told;

    private long lastToldNanos = System.nanoTime() - SPACING_NANOS;
    private Loop.@Nullable Timer tellTimer;

    private byte[] gathered = {};
    private int gatheredBytes;
    private int gatheredRows;
    private long held;

    private long rowsOfAnswer;
    private long bytesOfAnswers;

    private Loop.@Nullable Timer deadline;

    SqlSession(
            RelayLoop home, Pool pool, Session.Client who, Rules rules, Map<String, String> settings, Caller caller) {
        this.loop = home.loop();
        this.who = who;
        this.caller = caller;
        this.places = new Semaphore(caller.mostWaiting());
        this.request = new FrameWriter(home.buffers());
        this.end = new End(new FrameWriter(home.buffers()));
        loop.execute(() -> relay = home.relay(end, who, rules, settings, pool, () -> ended.complete(null)));
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

    private void queue(List<Query> queries, AnswerListener listener) {
        Round round = new Round(List.copyOf(queries), listener);
        loop.execute(() -> {
            waiting.add(round);
            if (closed) {
                failAll();
            } else {
                sendSoon();
            }
        });
    }

    /** A listener takes rows again. */
    public void resume() {
        loop.execute(() -> {
            if (paused) {
                paused = false;
                end.settle();
                if (!closed) {
                    relay().drained();
                }
            }
        });
    }

    /** Cancels the statement that is being executed. It fails with 57014, unless it has ended. */
    public void cancel() {
        loop.execute(() -> relay().tell(() -> relay().session().cancel(who.secret())));
    }

    /** Ends the session if it has not ended by then, and cancels its statement: what is left fails as said. */
    public void endAfter(Duration time, SqlFailure failure) {
        loop.execute(() -> {
            if (deadline != null) {
                deadline.cancel();
            }
            deadline = loop.at(loop.now() + time.toNanos(), () -> abort(failure));
        });
    }

    /** Ends the session at once, and cancels its statement: what is left fails as said. */
    public void end(SqlFailure failure) {
        loop.execute(() -> abort(failure));
    }

    /** Ends the session. An open transaction is rolled back. A statement that is being executed is cancelled after half a second. */
    @Override
    public void close() {
        loop.execute(() -> {
            if (!closed) {
                finish();
                relay().gone();
            }
        });
    }

    /** Completes when the session has ended and holds no connection any more. */
    public CompletionStage<Void> ended() {
        return ended.minimalCompletionStage();
    }

    private Relay relay() {
        return Objects.requireNonNull(relay);
    }

    // ---- to the server

    private boolean maySend() {
        return !closed
                && !waiting.isEmpty()
                && (sentInTurn < TURN || caller.order() == Caller.Order.FINISH_FIRST)
                && relay().wantsMore();
    }

    /** Sends after the tasks that the loop has now, so that rounds that were submitted together leave in one write. */
    private void sendSoon() {
        if (!sendsSoon) {
            sendsSoon = true;
            loop.execute(this::send);
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
                while (maySend() && request.size() < BATCH) {
                    Round next = waiting.remove();
                    places.release();
                    sent.add(next);
                    sentInTurn++;
                    write(next);
                }
                byte[] bytes = request.bytes();
                end.in.feed(bytes, 0, bytes.length);
                relay().received();
                end.in.keep();
            }
        } finally {
            sending = false;
        }
    }

    private void write(Round round) {
        for (Query query : round.queries()) {
            byte[] sql = query.sql().getBytes(StandardCharsets.UTF_8);
            request.header('P', 1 + sql.length + 1 + 2 + 4 * query.types().size())
                    .put(0)
                    .write(sql)
                    .put(0)
                    .int16(query.types().size());
            query.types().forEach(request::int32);
            bind(query.parameters());
            request.message('D', (byte) 'P', (byte) 0);
            request.header('E', 5).put(0).int32(query.mostRows());
        }
        request.message('S');
    }

    private void bind(List<@Nullable String> parameters) {
        byte[][] values = new byte[parameters.size()][];
        int length = 8;
        for (int i = 0; i < values.length; i++) {
            String value = parameters.get(i);
            length += 4;
            if (value != null) {
                values[i] = value.getBytes(StandardCharsets.UTF_8);
                length += values[i].length;
            }
        }
        request.header('B', length).put(0).put(0).int16(0).int16(values.length);
        for (byte @Nullable [] value : values) {
            if (value == null) {
                request.int32(-1);
            } else {
                request.int32(value.length).write(value);
            }
        }
        request.int16(0);
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
            if (closing && !paused && !closed) {
                finish();
            }
            if (!sending && relay != null && maySend()) {
                sendSoon();
            }
        }

        /** The relay ends the session; what it wrote last is still read. */
        @Override
        public void close() {
            if (!closing && !closed) {
                closing = true;
                loop.execute(this::settle);
            }
        }

        @Override
        public void closeNow() {
            if (!closed) {
                finish();
            }
        }
    }

    private void drain() {
        if (draining || closed) {
            return;
        }
        draining = true;
        try {
            decode();
            answers.keep();
            boolean _ = end.out.drain(this::read);
            handOn();
            tellArrivedSoon();
        } catch (IOException e) {
            throw new IllegalStateException(e); // nothing here does I/O
        } finally {
            draining = false;
        }
    }

    private int read(byte[] bytes, int offset, int count) {
        if (paused || closed) {
            return 0;
        }
        answers.feed(bytes, offset, count);
        decode();
        answers.keep();
        return closed ? 0 : count;
    }

    private void decode() {
        try {
            takeMessages();
        } catch (ProtocolException e) {
            abort(SqlFailure.of("08P01", String.valueOf(e.getMessage())));
        }
    }

    private void takeMessages() throws ProtocolException {
        while (!paused && !closed && (answers.isOpen() || answers.next())) {
            if (!answers.has(answers.length())) {
                await(answers.length());
                return;
            }
            byte[] bytes = answers.array();
            int from = answers.position();
            int to = from + answers.length();
            if (answers.type() == 'D') {
                if (isBeyondBounds(to - from)) {
                    return;
                }
                gather(bytes, from, to - from);
            } else {
                take(answers.type(), bytes, from, to);
            }
            answers.close();
        }
    }

    /** A long message is on its way. */
    private void await(int length) {
        if (length > caller.bounds().row()) {
            abort(SqlFailure.of(
                    "54000", "a row may have " + caller.bounds().row() + " bytes here, and this one has " + length));
        } else if (length > FREE_ROW && held < length) {
            if (relay().hold(2L * length - held)) {
                held = 2L * length;
                answers.expect(length);
            } else {
                abort(SqlFailure.of("53200", "there is no memory for a row of " + length + " bytes now"));
            }
        }
    }

    /** Counts a row, and ends the session if that is one too many. */
    private boolean isBeyondBounds(int length) {
        Bounds bounds = caller.bounds();
        rowsOfAnswer++;
        bytesOfAnswers += length;
        if (bounds.rows() > 0 && rowsOfAnswer > bounds.rows()) {
            handOn();
            abort(SqlFailure.of("54000", "an answer may have " + bounds.rows() + " rows here, and this one has more"));
        } else if (bounds.bytes() > 0 && bytesOfAnswers > bounds.bytes()) {
            handOn();
            abort(SqlFailure.of(
                    "54000", "the answers may have " + bounds.bytes() + " bytes here, and these have more"));
        }
        return closed;
    }

    private void gather(byte[] bytes, int from, int length) {
        int needed = gatheredBytes + 4 + length;
        if (needed > BATCH && gatheredRows > 0) {
            handOn();
            needed = 4 + length;
        }
        if (needed > gathered.length) {
            gathered = Arrays.copyOf(gathered, Math.max(needed, Math.min(BATCH, 2 * needed)));
        }
        gathered[gatheredBytes] = (byte) (length >> 24);
        gathered[gatheredBytes + 1] = (byte) (length >> 16);
        gathered[gatheredBytes + 2] = (byte) (length >> 8);
        gathered[gatheredBytes + 3] = (byte) length;
        System.arraycopy(bytes, from, gathered, gatheredBytes + 4, length);
        gatheredBytes = needed;
        gatheredRows++;
    }

    /** Hands on the rows that were gathered. */
    private void handOn() {
        if (gatheredRows > 0) {
            Rows rows = new Rows(gathered, gatheredBytes, gatheredRows);
            gathered = new byte[0];
            gatheredBytes = 0;
            gatheredRows = 0;
            if (held > 0) {
                relay().letGo(held);
                held = 0;
            }
            tell(new Answer.Some(rows));
        }
    }

    private void take(char type, byte[] bytes, int from, int to) throws ProtocolException {
        handOn();
        rowsOfAnswer = 0;
        switch (type) {
            case 'T' -> tell(new Answer.Columns(columns(bytes, from, to)));
            case 'n' -> tell(new Answer.Columns(List.of()));
            case 'C' -> tell(new Answer.Done(FrameReader.cString(bytes, from, to), false));
            case 's' -> tell(new Answer.Done("", true));
            case 'I' -> tell(new Answer.Done("", false));
            case 'E' -> failed(bytes, from, to);
            case 'Z' -> roundEnded((char) bytes[from]);
            case 'G', 'H', 'W' -> abort(SqlFailure.of("0A000", COPIES));
            default -> {} // notices, and what the parser and the settings report
        }
    }

    private static List<Column> columns(byte[] bytes, int from, int to) throws ProtocolException {
        int count = FrameReader.int16(bytes, from);
        List<Column> all = new ArrayList<>(count);
        int at = from + 2;
        for (int i = 0; i < count; i++) {
            int after = FrameReader.after(bytes, at, to);
            String name = new String(bytes, at, after - 1 - at, StandardCharsets.UTF_8);
            all.add(new Column(
                    name,
                    FrameReader.int32(bytes, after),
                    (short) FrameReader.int16(bytes, after + 4),
                    FrameReader.int32(bytes, after + 6),
                    (short) FrameReader.int16(bytes, after + 10),
                    FrameReader.int32(bytes, after + 12)));
            at = after + 18;
        }
        return List.copyOf(all);
    }

    private void failed(byte[] bytes, int from, int to) {
        LeaseException refusal = relay().refusal();
        SqlFailure failure = SqlFailure.read(bytes, from, to, refusal);
        if (failure.isLast()) {
            why = failure; // the relay closes now
        } else {
            tell(new Answer.Failed(failure));
        }
    }

    private void roundEnded(char transaction) {
        Round over = sent.poll();
        if (sent.isEmpty()) {
            sentInTurn = 0;
        }
        if (over != null) {
            tell(over, new Answer.Ended(transaction, relay().lastConnectionId(), relay().waitedNanos()));
        }
    }

    private void tell(Answer answer) {
        Round present = sent.peek();
        if (present != null) {
            tell(present, answer);
        }
    }

    @SuppressWarnings("ReferenceEquality") // the same listener or not
    private void tell(Round round, Answer answer) {
        if (told != round.listener()) {
            tellArrived();
            told = round.listener();
        }
        if (!round.listener().take(answer)) {
            paused = true;
        }
    }

    private void tellArrivedSoon() {
        if (told == null) {
            return;
        }
        if (sent.isEmpty() || paused || loop.now() - lastToldNanos >= SPACING_NANOS) {
            tellArrived();
        } else if (tellTimer == null) {
            tellTimer = loop.at(lastToldNanos + SPACING_NANOS, this::tellArrived);
        }
    }

    private void tellArrived() {
        lastToldNanos = loop.now();
        if (tellTimer != null) {
            tellTimer.cancel();
            tellTimer = null;
        }
        AnswerListener present = told;
        if (present != null) {
            told = null;
            present.arrived();
        }
    }

    // ---- the end

    private void abort(SqlFailure failure) {
        if (!closed) {
            why = failure;
            finish();
            relay().tell(relay().session()::kill);
        }
    }

    private void finish() {
        closed = true;
        if (deadline != null) {
            deadline.cancel();
        }
        end.out.discard();
        failAll();
    }

    private void failAll() {
        places.release(waiting.size());
        sent.addAll(waiting);
        waiting.clear();
        for (Round round = sent.poll(); round != null; round = sent.poll()) {
            tell(round, new Answer.Failed(why));
            tell(round, new Answer.Ended('I', relay().lastConnectionId(), relay().waitedNanos()));
        }
        tellArrived();
    }
}
