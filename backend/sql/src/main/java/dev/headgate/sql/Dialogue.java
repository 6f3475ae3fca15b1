package dev.headgate.sql;

import dev.headgate.engine.LeaseException;
import dev.headgate.protocol.Buffers;
import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.FrameWriter;
import dev.headgate.protocol.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What a session says to the server and hears from it: rounds become messages, messages become answers to the rounds, in order.
 * It knows neither loop nor relay, waits for nothing and has no clock, so that tests can let anything happen at any byte. Belongs
 * to one thread.
 */
final class Dialogue {

    /** The rounds that a fair caller sends before others have their turn. */
    static final int TURN = 32;

    /** Rows are handed on when so many bytes of them have been gathered, or when no more have arrived. So much is sent at once. */
    private static final int BATCH = 16 * 1024;

    /** So much is sent first to a server that has nothing to do. */
    static final int FIRST = 128;

    /** How much more each of the next sendings may be than the one before. */
    private static final int GROWTH = 4;

    /** Bytes of a row that are not counted. */
    static final int FREE_ROW = 64 * 1024;

    /** "UNICODE" is its old name, which the server reports as it was given. */
    private static final Set<String> UTF8 = Set.of("UTF8", "UNICODE");

    private static final String COPIES = "COPY between a program and the server is not spoken here; use the wire port";

    /** The other side, as far as it is needed here. */
    interface Peer {
        /** @return whether there is memory for so many bytes of a long row; it is taken then */
        boolean hold(long bytes);

        void letGo(long bytes);

        /** Why the pool refused a connection, if it just did. */
        @Nullable
        LeaseException refusal();

        /** The id of the last connection; empty if there was none. */
        String connection();

        long waitedNanos();

        /** Ends the session: the dialogue cannot go on. Calls {@link #end}. */
        void abort(SqlFailure why);
    }

    private record Round(List<Query> queries, AnswerListener listener) {}

    private final Caller caller;
    private final Peer peer;
    private final FrameWriter request;
    private final FrameReader answers = new FrameReader();

    /** Places for rounds that wait to be sent. */
    private final Semaphore places;

    /** Rounds that were not sent yet. */
    private final ArrayDeque<Round> waiting = new ArrayDeque<>();

    /** Rounds whose answers are not complete. */
    private final ArrayDeque<Round> sent = new ArrayDeque<>();

    private int sentInTurn;

    /** The most bytes of the last sending, or one round. */
    private int most;

    private boolean paused;
    private boolean closed;

    /** Why the rounds that are left fail. */
    private SqlFailure why = SqlFailure.of("08006", "the session has ended");

    /** Has taken answers and was not told that these are all. */
    private @Nullable AnswerListener told;

    private byte[] gathered = {};
    private int gatheredBytes;
    private int gatheredRows;
    private long held;
    private long rowsOfAnswer;
    private long bytesOfAnswers;

    /** @param places one is given back for each round that is sent, or fails before */
    Dialogue(Caller caller, Buffers buffers, Semaphore places, Peer peer) {
        this.caller = caller;
        this.places = places;
        this.peer = peer;
        this.request = new FrameWriter(buffers);
    }

    // ---- to the server

    /** Adds a round. It fails at once if the dialogue has ended. */
    void add(List<Query> queries, AnswerListener listener) {
        waiting.add(new Round(queries, listener));
        if (closed) {
            failAll();
        }
    }

    /** Whether a round may be sent: a fair caller sends no more than {@link #TURN} until all of them are answered. */
    boolean hasToSend() {
        return !closed && !waiting.isEmpty() && (sentInTurn < TURN || caller.order() == Caller.Order.FINISH_FIRST);
    }

    /**
     * The messages of the next rounds, or of one, while the relay takes more. A server that has nothing to do gets few, and begins with
     * them while the next are written; then it gets ever more at once, up to 16 KB.
     */
    byte[] next(BooleanSupplier wantsMore) {
        most = sent.isEmpty() ? FIRST : Math.min(BATCH, GROWTH * most);
        while (hasToSend() && wantsMore.getAsBoolean() && request.size() < most) {
            Round next = waiting.remove();
            places.release();
            sent.add(next);
            sentInTurn++;
            write(next);
        }
        return request.bytes();
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

    /**
     * Takes messages of the server.
     *
     * @return the number of bytes taken: all, or none while a listener takes no more or the dialogue has ended
     */
    int feed(byte[] bytes, int offset, int count) {
        if (paused || closed) {
            return 0;
        }
        answers.feed(bytes, offset, count);
        decode();
        answers.keep();
        return closed ? 0 : count;
    }

    /** Takes what was fed before and not taken. */
    void goOn() {
        decode();
        answers.keep();
    }

    private void decode() {
        try {
            takeMessages();
        } catch (ProtocolException e) {
            peer.abort(SqlFailure.of("08P01", String.valueOf(e.getMessage())));
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

    /** A long message is on its way: a row, as a rule. */
    private void await(int length) {
        if (length > caller.bounds().row()) {
            peer.abort(SqlFailure.of(
                    "54000", "a row may have " + caller.bounds().row() + " bytes here, and this one has " + length));
        } else if (length > FREE_ROW && held < length) {
            if (peer.hold(2L * length - held)) {
                held = 2L * length;
                answers.expect(length);
            } else {
                peer.abort(SqlFailure.of("53200", "there is no memory for a row of " + length + " bytes now"));
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
            peer.abort(SqlFailure.of(
                    "54000", "an answer may have " + bounds.rows() + " rows here, and this one has more"));
        } else if (bounds.bytes() > 0 && bytesOfAnswers > bounds.bytes()) {
            handOn();
            peer.abort(SqlFailure.of(
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
    void handOn() {
        if (gatheredRows > 0) {
            Rows rows = new Rows(gathered, gatheredBytes, gatheredRows);
            gathered = new byte[0];
            gatheredBytes = 0;
            gatheredRows = 0;
            tell(new Answer.Some(rows));
            if (!paused) {
                letGo();
            }
        }
    }

    /** The listener needs the rows no more that it was handed. */
    void letGo() {
        if (held > 0) {
            peer.letGo(held);
            held = 0;
        }
    }

    private void take(char type, byte[] bytes, int from, int to) throws ProtocolException {
        handOn();
        if (endsAnswer(type)) {
            rowsOfAnswer = 0;
        }
        switch (type) {
            case 'T' -> tell(new Answer.Columns(columns(bytes, from, to)));
            case 'n' -> tell(new Answer.Columns(List.of()));
            case 'C' -> tell(new Answer.Done(FrameReader.cString(bytes, from, to), false));
            case 's' -> tell(new Answer.Done("", true));
            case 'I' -> tell(new Answer.Done("", false));
            case 'E' -> failed(bytes, from, to);
            case 'Z' -> roundEnded((char) bytes[from]);
            case 'S' -> reported(bytes, from, to);
            case 'G', 'H', 'W' -> peer.abort(SqlFailure.of("0A000", COPIES));
            default -> {} // notices, and what the parser reports
        }
        if (!paused) {
            letGo(); // if it was long
        }
    }

    /** A setting has changed. Whoever reads the answers takes their texts for UTF-8, so another encoding ends the session. */
    private void reported(byte[] bytes, int from, int to) throws ProtocolException {
        if (FrameReader.cString(bytes, from, to).equals("client_encoding")) {
            String encoding = FrameReader.cString(bytes, FrameReader.after(bytes, from, to), to);
            if (!UTF8.contains(encoding)) {
                peer.abort(SqlFailure.of("0A000", "client_encoding is UTF8 here, and cannot be " + encoding));
            }
        }
    }

    /** Whether no row of the same answer comes after it. Others, such as notices, come between rows, too. */
    private static boolean endsAnswer(char type) {
        return switch (type) {
            case 'C', 's', 'I', 'E', 'Z' -> true;
            default -> false;
        };
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
        SqlFailure failure = SqlFailure.read(bytes, from, to, peer.refusal());
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
            tell(over, ended(transaction));
        }
    }

    private Answer.Ended ended(char transaction) {
        return new Answer.Ended(transaction, peer.connection(), peer.waitedNanos());
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

    /** Tells the listener that took answers that these are all for now. */
    void tellArrived() {
        AnswerListener present = told;
        if (present != null) {
            told = null;
            present.arrived();
        }
    }

    /** Whether a listener has taken answers and was not told that these are all. */
    boolean hasToTell() {
        return told != null;
    }

    /** Whether every round that was sent is answered. */
    boolean isAnswered() {
        return sent.isEmpty();
    }

    /** Whether no round is left. */
    boolean isDone() {
        return sent.isEmpty() && waiting.isEmpty();
    }

    /** Tells the listener of the first round that is left that its answer is still to come. */
    void tellAwaited() {
        Round first = sent.isEmpty() ? waiting.peek() : sent.peek();
        if (first != null) {
            first.listener().awaited();
        }
    }

    /** Whether a listener takes no more. */
    boolean isPaused() {
        return paused;
    }

    void resume() {
        paused = false;
        letGo();
    }

    /** Whether it has reserved memory: for a row that arrives, or that the listener is still at. */
    boolean holds() {
        return held > 0;
    }

    /** The bytes that were written or fed, and not handed on. */
    int buffered() {
        return request.size() + answers.buffered() + gatheredBytes;
    }

    // ---- the end

    boolean isClosed() {
        return closed;
    }

    /**
     * Ends it: what is left fails, and what was read and not handed on is forgotten. A caller may keep its session for long. The memory
     * of a row that the listener is still at stays reserved until {@link #resume} or {@link #letGo}.
     *
     * @param failure why; null for what the server said last, if that was an end
     */
    void end(@Nullable SqlFailure failure) {
        if (failure != null) {
            why = failure;
        }
        closed = true;
        answers.discard();
        if (!paused) {
            letGo();
        }
        failAll();
    }

    private void failAll() {
        places.release(waiting.size());
        sent.addAll(waiting);
        waiting.clear();
        for (Round round = sent.poll(); round != null; round = sent.poll()) {
            tell(round, new Answer.Failed(why));
            tell(round, ended('I'));
        }
        tellArrived();
    }
}
