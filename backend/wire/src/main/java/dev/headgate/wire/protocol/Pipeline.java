package dev.headgate.wire.protocol;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * What the server still owes on one connection, in order. A client's messages are not always what the server gets: a
 * statement that is prepared already is not prepared again, and one that is not is prepared before it is bound. The
 * answers must look as if they were, so each is held against what was sent for it.
 *
 * <p>Extended-query messages are answered one for one, until an error: then the server skips to the next Sync
 * (PostgreSQL documentation, "Extended Query"), and so does this. Not thread-safe.
 */
public final class Pipeline {

    /** What was sent, and who the answer is for. */
    public enum Sent {
        QUERY,
        SYNC,
        /** A Sync of ours. */
        OUR_SYNC,
        PARSE,
        BIND,
        DESCRIBE,
        EXECUTE,
        CLOSE,
        /** A Parse of ours; nobody is told of its answer. */
        OUR_PARSE,
        /** A Close of ours. */
        OUR_CLOSE,
        /** A Parse that was not sent; it is answered by us in its turn. */
        ABSORBED_PARSE,
        ABSORBED_CLOSE,
        /** The end of a COPY's data that was sent before the server asked for any; it has no answer of its own. */
        COPY_END
    }

    private static void nothing() {}

    private record Owed(
            Sent sent,
            Runnable undo,
            Runnable done,
            @Nullable String tag,
            @Nullable Statement statement) {}

    private final Deque<Owed> owed = new ArrayDeque<>();
    private int rounds;

    /** The server has failed and the Sync that it skips to is not sent yet. */
    private boolean skipping;

    /** An error came since the last ReadyForQuery. */
    private boolean failed;

    /** Something was sent. */
    public void sent(Sent what) {
        sent(what, Pipeline::nothing);
    }

    /** @param undo run if an earlier error makes the server skip it, or it fails itself */
    public void sent(Sent what, Runnable undo) {
        sent(what, undo, Pipeline::nothing, null, null);
    }

    /**
     * @param done run when a QUERY or an EXECUTE has been answered and has not failed
     * @param tag what its CommandComplete is to say in place of what the server says
     * @param statement what a BIND or a DESCRIBE is of
     */
    public void sent(Sent what, Runnable undo, Runnable done, @Nullable String tag, @Nullable Statement statement) {
        if (skipping && !isSync(what)) {
            undo.run(); // the server does not look at it
            return;
        }
        skipping = false;
        owed.add(new Owed(what, undo, done, tag, statement));
        if (what == Sent.QUERY || isSync(what)) {
            rounds++;
        }
    }

    /** Whether everything is answered. */
    public boolean isSettled() {
        return owed.isEmpty();
    }

    /** Whether the server takes notice of nothing before the next Sync. */
    public boolean isSkipping() {
        return skipping;
    }

    /** Whether what is answered now was executed by the extended protocol. */
    public boolean isExecuting() {
        return head() == Sent.EXECUTE;
    }

    /** How many ReadyForQuery are still to come. */
    public int rounds() {
        return rounds;
    }

    /** Answers whose turn has come and that the server was never asked for. */
    public void answerAbsorbed(FrameWriter client) throws IOException {
        for (Owed head = owed.peek(); head != null; head = owed.peek()) {
            if (head.sent == Sent.ABSORBED_PARSE) {
                client.message('1');
            } else if (head.sent == Sent.ABSORBED_CLOSE) {
                client.message('3');
            } else if (head.sent != Sent.COPY_END) {
                return;
            }
            owed.remove();
        }
    }

    /** What the CommandComplete that comes now is to say in place of what the server says; null to leave it. */
    public @Nullable String tag() {
        Owed head = owed.peek();
        return head == null ? null : head.tag;
    }

    /** The statement that the answer which comes now is about, where it is one that was prepared before. */
    public @Nullable Statement statement() {
        Owed head = owed.peek();
        return head == null ? null : head.statement;
    }

    /**
     * The server takes a COPY's data from now on. It ignores each Sync up to the end of them (PostgreSQL documentation,
     * "COPY Operations").
     *
     * @return whether their end was sent already
     */
    public boolean copies() {
        Iterator<Owed> each = owed.iterator();
        if (each.hasNext()) {
            each.next();
        }
        while (each.hasNext()) {
            Sent sent = each.next().sent;
            if (sent != Sent.SYNC && sent != Sent.COPY_END) {
                return false;
            }
            each.remove();
            if (sent == Sent.COPY_END) {
                return true;
            }
            rounds--;
        }
        return false;
    }

    /**
     * The server sent a message of this type.
     *
     * @return whether the client is to see it
     * @throws ProtocolException if it answers nothing that was sent
     */
    public boolean answered(char type) throws ProtocolException {
        return switch (type) {
            case '1' -> take(type, Sent.PARSE, Sent.OUR_PARSE) == Sent.PARSE;
            case '2' -> take(type, Sent.BIND, Sent.BIND) == Sent.BIND;
            case '3' -> take(type, Sent.CLOSE, Sent.OUR_CLOSE) == Sent.CLOSE;
            case 'T', 'n' -> {
                if (head() == Sent.DESCRIBE) {
                    owed.remove();
                }
                yield true;
            }
            case 'C', 'I', 's' -> {
                if (head() == Sent.EXECUTE) {
                    owed.remove().done.run();
                }
                yield true;
            }
            case 'E' -> {
                failed = true;
                if (head() != Sent.QUERY) {
                    skipToSync();
                    skipping = owed.isEmpty();
                }
                yield true;
            }
            case 'Z' -> {
                while (!owed.isEmpty() && head() != Sent.QUERY && !isSync(head())) {
                    owed.remove();
                }
                Owed ended = owed.poll();
                if (ended != null) {
                    rounds--;
                    if (!failed) {
                        ended.done.run();
                    }
                }
                failed = false;
                yield ended == null || ended.sent != Sent.OUR_SYNC;
            }
            default -> true;
        };
    }

    private static boolean isSync(Sent sent) {
        return sent == Sent.SYNC || sent == Sent.OUR_SYNC;
    }

    private void skipToSync() {
        while (!owed.isEmpty() && !isSync(head())) {
            if (head() == Sent.QUERY) {
                rounds--;
            }
            owed.remove().undo.run();
        }
    }

    private Sent take(char type, Sent one, Sent other) throws ProtocolException {
        Owed head = owed.poll();
        if (head == null || (head.sent != one && head.sent != other)) {
            throw new ProtocolException("the server sent '" + type + "', which answers nothing that was asked");
        }
        return head.sent;
    }

    private Sent head() {
        Owed head = owed.peek();
        return head == null ? Sent.SYNC : head.sent;
    }
}
