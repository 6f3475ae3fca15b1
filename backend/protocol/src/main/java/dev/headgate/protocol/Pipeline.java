package dev.headgate.protocol;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * What the server still owes on one connection, in order. The server does not always get what the client sent: a
 * statement that is prepared there already is not prepared again, and one that is not is prepared before it is bound. The
 * client must not notice, so each answer is held against what was sent for it.
 *
 * <p>Messages of the extended protocol are answered one for one, until an error: then the server skips to the next Sync
 * (PostgreSQL documentation, "Extended Query"), and so does this. Belongs to one thread.
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

    /**
     * One message that is to be answered.
     *
     * @param undo run if an earlier error makes the server skip it, or it fails itself
     * @param done run when a QUERY, an EXECUTE or a Parse has been answered and has not failed
     * @param tag what its CommandComplete is to say in place of what the server says; null to leave it
     * @param statement what a BIND or a DESCRIBE is of, where it was prepared under a name of ours
     * @param retryAt where the client's message stands among those that may be sent again; negative where it may not
     * @param described the client has been told before what the statement gives: it must give that or fail
     */
    public record Owed(
            Sent sent,
            Runnable undo,
            Runnable done,
            @Nullable String tag,
            @Nullable Statement statement,
            int retryAt,
            boolean described) {

        private static void nothing() {}

        public static Owed of(Sent sent) {
            return new Owed(sent, Owed::nothing, Owed::nothing, null, null, -1, false);
        }

        public static Owed of(Sent sent, Runnable undo) {
            return new Owed(sent, undo, Owed::nothing, null, null, -1, false);
        }

        /** @param done run when the statement is known to be prepared */
        public static Owed parsing(Sent sent, Runnable undo, Runnable done) {
            return new Owed(sent, undo, done, null, null, -1, false);
        }

        /** @param tag null to leave what the server says */
        public static Owed executing(Sent sent, Runnable done, @Nullable String tag) {
            return new Owed(sent, Owed::nothing, done, tag, null, -1, false);
        }

        public static Owed using(Sent sent, @Nullable Statement statement, int retryAt, boolean described) {
            return new Owed(sent, Owed::nothing, Owed::nothing, null, statement, retryAt, described);
        }
    }

    private final Deque<Owed> owed = new ArrayDeque<>();
    private int rounds;

    /** The server has failed, and the Sync that it skips to has not been sent. */
    private boolean skipping;

    /** An error came since the last ReadyForQuery. */
    private boolean failed;

    public void sent(Sent what) {
        sent(Owed.of(what));
    }

    /** Something was sent. */
    public void sent(Owed what) {
        if (skipping && !isSync(what.sent)) {
            what.undo.run(); // the server does not look at it
            return;
        }
        skipping = false;
        owed.add(what);
        if (what.sent == Sent.QUERY || isSync(what.sent)) {
            rounds++;
        }
    }

    /** How many answers are still to come. */
    public int size() {
        return owed.size();
    }

    /** Whether everything has been answered. */
    public boolean isSettled() {
        return owed.isEmpty();
    }

    /** Whether the server ignores everything before the next Sync. */
    public boolean isSkipping() {
        return skipping;
    }

    /** How many ReadyForQuery are still to come. */
    public int rounds() {
        return rounds;
    }

    /** What the next answer is for; null where nothing is owed. */
    public @Nullable Owed head() {
        return owed.peek();
    }

    /** Whether the only thing that may still be owed behind the head's batch is its own Sync. */
    public boolean isLastBatch() {
        return rounds == 0 || (rounds == 1 && isSync(owed.getLast().sent));
    }

    /** Answers whose turn has come and that the server was never asked for. */
    public void answerAbsorbed(FrameWriter client) {
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

    /**
     * The server takes a COPY's data from now on. It ignores each Sync up to the end of them (PostgreSQL documentation,
     * "COPY Operations").
     *
     * @return whether their end was sent already
     * @throws ProtocolException if something else was sent: the server takes it for a fault, fails the COPY and does not
     *     answer it, so that no answer could be told from the next one
     */
    public boolean copies() throws ProtocolException {
        Iterator<Owed> each = owed.iterator();
        if (each.hasNext()) {
            each.next();
        }
        while (each.hasNext()) {
            Sent sent = each.next().sent;
            if (sent != Sent.SYNC && sent != Sent.COPY_END) {
                throw new ProtocolException("a message that is no data was sent while the server copies");
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
     * The head has failed and is to be sent again: whatever was sent behind it is undone, and the ReadyForQuery that ends
     * the batch is for nobody.
     *
     * @return whether the batch's Sync has been sent; if not, the caller sends one of its own
     */
    public boolean retract() {
        boolean synced = false;
        for (Owed head = owed.poll(); head != null; head = owed.poll()) {
            if (isSync(head.sent)) {
                synced = true;
                rounds--;
            } else {
                head.undo.run();
            }
        }
        skipping = false;
        sent(Sent.OUR_SYNC);
        failed = true;
        return synced;
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
                if (isHead(Sent.DESCRIBE)) {
                    owed.remove();
                }
                yield true;
            }
            case 'C', 'I', 's' -> {
                if (isHead(Sent.EXECUTE)) {
                    owed.remove().done.run();
                }
                yield true;
            }
            case 'E' -> {
                failed = true;
                if (!owed.isEmpty() && !isHead(Sent.QUERY)) {
                    skipToSync();
                    skipping = owed.isEmpty();
                }
                yield true;
            }
            case 'Z' -> {
                while (!owed.isEmpty() && !isHead(Sent.QUERY) && !isSync(owed.getFirst().sent)) {
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
        while (!owed.isEmpty() && !isSync(owed.getFirst().sent)) {
            if (isHead(Sent.QUERY)) {
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
        head.done.run();
        return head.sent;
    }

    private boolean isHead(Sent sent) {
        Owed head = owed.peek();
        return head != null && head.sent == sent;
    }
}
