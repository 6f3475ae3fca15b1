package dev.headgate.wire.session;

import dev.headgate.protocol.Fields;
import dev.headgate.protocol.FrameReader;
import dev.headgate.protocol.FrameWriter;
import dev.headgate.protocol.Pipeline;
import dev.headgate.protocol.ProtocolException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Headgate's own commands on a connection between a client's requests: applying settings, resetting a session. One
 * simple query, whose answer goes only to {@code done}. Notifications that arrive meanwhile go to the client.
 */
final class Errand {

    /** More than the answer of any of these commands. */
    private static final int MOST_PEEKED = 8 * 1024;

    private final Link link;
    private final Consumer<Fields.@Nullable Failure> done;
    private final Supplier<FrameWriter> client;
    private final long deadlineNanos;
    private Fields.@Nullable Failure failure;

    /** The server has answered something of it. A ReadyForQuery before that belongs to an earlier message ({@link Pipeline#mayOweMore}). */
    private boolean begun;

    /**
     * Writes the query.
     *
     * @param client the client's output
     * @param done called at ReadyForQuery, with the error if there was one
     */
    Errand(
            Link link,
            String commands,
            long deadlineNanos,
            Supplier<FrameWriter> client,
            Consumer<Fields.@Nullable Failure> done) {
        this.link = link;
        this.client = client;
        this.done = done;
        this.deadlineNanos = deadlineNanos;
        link.unnamed = null; // a simple query drops it
        link.out.message('Q', commands);
    }

    long deadlineNanos() {
        return deadlineNanos;
    }

    /**
     * Handles the open message.
     *
     * @return whether it was the last one
     */
    Progress take(FrameReader in) throws ProtocolException {
        switch (in.type()) {
            case 'A' -> {
                in.pass(client.get());
                return Progress.TAKEN;
            }
            case 'S' -> {
                if (!in.has(MOST_PEEKED)) {
                    return Progress.NEEDS_BYTES;
                }
                byte[] body = in.peek(MOST_PEEKED);
                int value = FrameReader.after(body, 0, body.length);
                link.reports(FrameReader.cString(body, 0), FrameReader.cString(body, value));
            }
            case 'E' -> {
                if (!in.has(MOST_PEEKED)) {
                    return Progress.NEEDS_BYTES;
                }
                failure = Fields.failure(in.array(), in.position(), in.position() + in.here());
                begun = true;
            }
            case 'N' -> {} // of its own accord
            case 'Z' -> {
                if (!in.has(1)) {
                    return Progress.NEEDS_BYTES;
                }
                in.close();
                if (begun) {
                    link.pipeline.owesNoMore();
                }
                return begun ? Progress.DONE : Progress.TAKEN;
            }
            default -> begun = true; // rows and completions of our own commands
        }
        in.close();
        return Progress.TAKEN;
    }

    /** Reports the end. */
    void end() {
        done.accept(failure);
    }

    enum Progress {
        /** The message is incomplete. */
        NEEDS_BYTES,
        TAKEN,
        DONE
    }
}
