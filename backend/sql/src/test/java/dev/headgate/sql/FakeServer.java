package dev.headgate.sql;

import dev.headgate.protocol.Buffers;
import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.FrameWriter;
import dev.headgate.protocol.ProtocolException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A server of PostgreSQL's protocol without a socket or a clock: its rules of answering, skipping and transactions. What is executed
 * says what is answered: {@code rows 3 of 20} gives three rows of twenty characters, {@code insert} none, {@code fail} an error,
 * {@code empty} nothing at all, {@code die} an error that ends the session, {@code copy} a COPY. {@code notice 20} gives a notice of
 * twenty characters, {@code noisy 3 of 20} rows with a notice after each. {@code sleep} runs until it is woken or cancelled.
 * {@code begin}, {@code commit} and {@code rollback} are as in PostgreSQL. Whatever follows these words is ignored, but for
 * {@code rows 3 of 20 for me}: its rows have that name in place of a number.
 *
 * <p>It executes only while few of its answers wait to be read, as a server does whose client reads slowly.
 */
final class FakeServer {

    private final FrameReader in = new FrameReader();
    private final FrameWriter out = new FrameWriter(new Buffers());
    private final int room;

    /** The texts of the prepared statements, by name. */
    private final Map<String, String> prepared = new HashMap<>();

    /** The text of the portal without a name. */
    private String bound = "";

    private final List<String> executed = new ArrayList<>();
    private String rowsOf = "";
    private int row;
    private int rowsEnd;
    private int rowLength;
    private boolean rowsLimited;
    private boolean rowsRun;
    private boolean noisy;
    private boolean sleeps;
    private boolean skips;
    private boolean ended;
    private char status = 'I';
    private int syncs;

    /** A server whose answers may wait, however many. */
    FakeServer() {
        this(Integer.MAX_VALUE);
    }

    /** @param room the bytes of answers that may wait before it executes no more, about */
    FakeServer(int room) {
        this.room = room;
    }

    /** Takes what a client sends. */
    void take(byte[] bytes) {
        in.feed(bytes, 0, bytes.length);
        work();
        in.keep();
    }

    private void work() {
        try {
            while (goesOn() && (in.isOpen() || in.next()) && in.has(in.length())) {
                message(in.type(), in.array(), in.position(), in.position() + in.length());
                in.close();
            }
        } catch (ProtocolException e) {
            throw new AssertionError(e);
        }
    }

    /** Continues with the statement that runs. @return whether it takes the next message */
    private boolean goesOn() {
        while (rowsRun && out.size() < room) {
            if (row < rowsEnd) {
                row(value(rowsOf, row++, rowLength));
                if (noisy) {
                    notice(1);
                }
            } else {
                rowsRun = false;
                complete(rowsLimited ? "" : "SELECT " + rowsEnd);
            }
        }
        return !rowsRun && !sleeps && !ended && out.size() < room;
    }

    private void message(char type, byte[] bytes, int from, int to) throws ProtocolException {
        if (skips && type != 'S') {
            return;
        }
        switch (type) {
            case 'P' -> parse(FrameReader.cString(bytes, from, to), bytes, FrameReader.after(bytes, from, to), to);
            case 'B' -> {
                String name = FrameReader.cString(bytes, FrameReader.after(bytes, from, to), to);
                String text = prepared.get(name);
                if (text == null) {
                    error("ERROR", "26000");
                } else if (isAborted(text)) {
                    error("ERROR", "25P02");
                } else {
                    bound = text;
                    out.message('2');
                }
            }
            case 'D' -> describe();
            case 'E' -> execute(FrameReader.int32(bytes, FrameReader.after(bytes, from, to)));
            case 'C' -> {
                prepared.remove(FrameReader.cString(bytes, from + 1, to));
                out.message('3');
            }
            case 'Q' -> simple(FrameReader.cString(bytes, from, to));
            case 'S' -> {
                skips = false;
                syncs++;
                ready();
            }
            case 'H' -> {} // it keeps no answer back
            default -> throw new AssertionError("a client does not send " + type);
        }
    }

    /** Headgate's own commands: settings, resets, the end of a transaction. */
    private void simple(String text) {
        executed.add(text);
        if (text.equals("ROLLBACK")) {
            status = 'I';
        }
        if (text.contains("DEALLOCATE ALL")) {
            prepared.clear();
        }
        if (text.contains("refused")) {
            error("ERROR", "22023");
            skips = false;
        } else {
            out.message('C', "DONE");
        }
        ready();
    }

    private void ready() {
        out.message('Z', (byte) status);
    }

    private void parse(String name, byte[] bytes, int from, int to) throws ProtocolException {
        String text = FrameReader.cString(bytes, from, to);
        if (isAborted(text)) {
            error("ERROR", "25P02");
        } else {
            prepared.put(name, text);
            out.message('1');
        }
    }

    /** Whether the transaction has failed, and this does not end it. */
    private boolean isAborted(String text) {
        return status == 'E' && !text.startsWith("commit") && !text.startsWith("rollback");
    }

    private void describe() {
        if (bound.startsWith("rows") || bound.startsWith("noisy")) {
            byte[] name = "value".getBytes(StandardCharsets.UTF_8);
            out.header('T', 2 + name.length + 1 + 18)
                    .int16(1)
                    .write(name)
                    .put(0)
                    .int32(0)
                    .int16(0)
                    .int32(25)
                    .int16(-1)
                    .int32(-1)
                    .int16(0);
        } else {
            out.message('n');
        }
    }

    private void execute(int most) {
        String[] words = bound.split(" ", -1);
        String number = String.valueOf(executed.size());
        executed.add(bound);
        switch (words[0]) {
            case "rows", "noisy" -> {
                noisy = words[0].equals("noisy");
                int count = Integer.parseInt(words[1]);
                rowsOf = words.length > 5 ? words[5] : number;
                rowLength = Integer.parseInt(words[3]);
                rowsLimited = most > 0 && count >= most;
                rowsEnd = rowsLimited ? most : count;
                row = 0;
                rowsRun = true;
                boolean _ = goesOn();
            }
            case "notice" -> {
                notice(Integer.parseInt(words[1]));
                complete("DO");
            }
            case "insert" -> complete("INSERT 0 1");
            case "empty" -> out.message('I');
            case "fail" -> error("ERROR", "22012");
            case "sleep" -> sleeps = true;
            case "begin" -> {
                status = 'T';
                complete("BEGIN");
            }
            case "commit", "rollback" -> {
                complete(words[0].equals("rollback") || status == 'E' ? "ROLLBACK" : "COMMIT");
                status = 'I';
            }
            case "die" -> {
                error("FATAL", "57P01");
                ended = true;
            }
            case "copy" -> out.header('H', 3).put(0).int16(0);
            default -> throw new AssertionError(bound);
        }
    }

    /** @param tag empty for a statement that has reached its limit of rows */
    private void complete(String tag) {
        if (tag.isEmpty()) {
            out.message('s');
        } else {
            out.message('C', tag);
        }
    }

    private void notice(int length) {
        fields('N', "NOTICE", "00000", "x".repeat(length));
    }

    private void fields(char type, String severity, String code, String message) {
        String fields = "S" + severity + "\0V" + severity + "\0C" + code + "\0M" + message + "\0\0";
        byte[] bytes = fields.getBytes(StandardCharsets.UTF_8);
        out.header(type, bytes.length).write(bytes);
    }

    private void row(String text) {
        byte[] value = text.getBytes(StandardCharsets.UTF_8);
        out.header('D', 2 + 4 + value.length).int16(1).int32(value.length).write(value);
    }

    /**
     * The value of a row.
     *
     * @param of the statement's name, or its number among all that were executed
     */
    static String value(String of, int row, int length) {
        String text = of + ":" + row + ":";
        return text + "x".repeat(Math.max(0, length - text.length()));
    }

    private void error(String severity, String code) {
        fields('E', severity, code, "it failed");
        skips = true;
        if (status == 'T') {
            status = 'E';
        }
    }

    // ---- what happens to it

    /** The statement that sleeps ends. */
    void wake() {
        if (sleeps) {
            sleeps = false;
            complete("SLEPT");
            work();
            in.keep();
        }
    }

    /** As by a CancelRequest: the statement that runs fails. Nothing happens if none runs. */
    void cancel() {
        if (sleeps || rowsRun) {
            sleeps = false;
            rowsRun = false;
            error("ERROR", "57014");
            work();
            in.keep();
        }
    }

    // ---- what is seen of it

    /** The rounds that have come whole. */
    int syncs() {
        return syncs;
    }

    /** What was executed, Headgate's own commands among them, in this order. */
    List<String> executed() {
        return executed;
    }

    boolean isSleeping() {
        return sleeps;
    }

    /** Whether a statement runs. */
    boolean isBusy() {
        return sleeps || rowsRun;
    }

    char status() {
        return status;
    }

    /** Whether it has ended the session. */
    boolean hasEnded() {
        return ended;
    }

    /** The bytes that it was sent and has not looked at. */
    int unread() {
        return in.buffered();
    }

    /** Those of them that it does not read now. The part of a message that has come is in its own memory. */
    int backlog() {
        return rowsRun || sleeps || ended || out.size() >= room ? in.buffered() : 0;
    }

    /** The bytes of its answers that wait. */
    int unsent() {
        return out.size();
    }

    boolean hasAnswers() {
        return out.size() > 0;
    }

    /**
     * At most so many bytes of the answers go to a reader, as far as it takes them. Then it executes more, if it had no room.
     *
     * @return how many it took
     */
    int deliver(int most, FrameWriter.Sink reader) {
        int[] taken = {0};
        try {
            boolean _ = out.drain((bytes, offset, count) -> {
                int some = most == taken[0] ? 0 : reader.take(bytes, offset, Math.min(most - taken[0], count));
                taken[0] += some;
                return some;
            });
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        work();
        in.keep();
        return taken[0];
    }
}
