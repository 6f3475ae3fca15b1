package dev.headgate.sql;

import dev.headgate.protocol.Buffers;
import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.FrameWriter;
import dev.headgate.protocol.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;

/**
 * A server of the extended protocol without a socket or a clock. What is executed says what is answered: {@code rows 3 of 20} gives three
 * rows of twenty characters, {@code insert} none, {@code fail} an error, {@code empty} nothing at all, {@code die} an error that
 * ends the session, {@code copy} a COPY.
 */
final class FakeServer {

    private final FrameReader in = new FrameReader();
    private final FrameWriter out = new FrameWriter(new Buffers());
    private final ArrayDeque<byte[]> ready = new ArrayDeque<>();
    private int readyOffset;
    private String statement = "";
    private boolean skips;
    private int executed;
    private int syncs;

    /** Takes what a client sends. */
    void take(byte[] bytes) {
        try {
            in.feed(bytes, 0, bytes.length);
            while (in.next()) {
                if (!in.has(in.length())) {
                    break;
                }
                message(in.type(), in.array(), in.position(), in.position() + in.length());
                in.close();
            }
            in.keep();
        } catch (ProtocolException e) {
            throw new AssertionError(e);
        }
        byte[] answers = out.bytes();
        if (answers.length > 0) {
            ready.add(answers);
        }
    }

    private void message(char type, byte[] bytes, int from, int to) throws ProtocolException {
        if (type == 'S') {
            skips = false;
            syncs++;
            out.message('Z', (byte) 'I');
            return;
        }
        if (skips) {
            return;
        }
        switch (type) {
            case 'P' -> {
                statement = FrameReader.cString(bytes, FrameReader.after(bytes, from, to), to);
                out.message('1');
            }
            case 'B' -> out.message('2');
            case 'D' -> describe();
            case 'E' -> execute(FrameReader.int32(bytes, FrameReader.after(bytes, from, to)));
            default -> throw new AssertionError("a client does not send " + type);
        }
    }

    private void describe() {
        if (statement.startsWith("rows")) {
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
        int number = executed++;
        String[] words = statement.split(" ", -1);
        switch (words[0]) {
            case "rows" -> {
                int count = Integer.parseInt(words[1]);
                boolean limited = most > 0 && count >= most;
                for (int row = 0; row < (limited ? most : count); row++) {
                    byte[] value =
                            value(number, row, Integer.parseInt(words[3])).getBytes(StandardCharsets.UTF_8);
                    out.header('D', 2 + 4 + value.length)
                            .int16(1)
                            .int32(value.length)
                            .write(value);
                }
                if (limited) {
                    out.message('s');
                } else {
                    out.message('C', "SELECT " + count);
                }
            }
            case "insert" -> out.message('C', "INSERT 0 1");
            case "empty" -> out.message('I');
            case "fail" -> error("ERROR", "22012");
            case "die" -> error("FATAL", "57P01");
            case "copy" -> out.header('H', 3).put(0).int16(0);
            default -> throw new AssertionError(statement);
        }
    }

    /** The value of a row of the statement that is the nth of all that were executed. */
    static String value(int statement, int row, int length) {
        String text = statement + ":" + row + ":";
        return text + "x".repeat(Math.max(0, length - text.length()));
    }

    private void error(String severity, String code) {
        String fields = "S" + severity + "\0V" + severity + "\0C" + code + "\0Mit failed\0\0";
        byte[] bytes = fields.getBytes(StandardCharsets.UTF_8);
        out.header('E', bytes.length).write(bytes);
        skips = true;
    }

    /** The rounds that have come whole. */
    int syncs() {
        return syncs;
    }

    boolean hasAnswers() {
        return !ready.isEmpty();
    }

    /** At most so many bytes of the answers go to a reader, unless it takes none. @return whether it took them */
    boolean deliver(int most, Dialogue reader) {
        byte[] next = ready.element();
        int count = Math.min(most, next.length - readyOffset);
        if (reader.feed(next, readyOffset, count) == 0) {
            return false;
        }
        readyOffset += count;
        if (readyOffset == next.length) {
            ready.remove();
            readyOffset = 0;
        }
        return true;
    }
}
