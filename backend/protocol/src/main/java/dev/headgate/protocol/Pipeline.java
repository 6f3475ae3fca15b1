package dev.headgate.protocol;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The outstanding responses of one connection, in order. The server does not always get what the client sent: a statement
 * that is already prepared there is not prepared again, and one that is not prepared is prepared before its Bind. The client
 * must not notice, so each response is matched with the message that was sent for it.
 *
 * <p>Each message of the extended protocol has one response, until an error: then the server skips to the next Sync
 * (PostgreSQL documentation, "Extended Query"), and so does this class. Belongs to one thread.
 */
public final class Pipeline {

    /** The kind of message that was sent, and for whom. */
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
        /** A Parse of ours. Its response is dropped. */
        OUR_PARSE,
        /** A Close of ours. */
        OUR_CLOSE,
        /** A Parse that was not sent. Headgate answers it in its turn. */
        ABSORBED_PARSE,
        ABSORBED_CLOSE,
        /** A Describe of a portal that was not sent: what the server would say is known. */
        ABSORBED_DESCRIBE,
        /** The end of a COPY's data, sent before the server asked for data. It has no response of its own. */
        COPY_END
    }

    /**
     * One message with an outstanding response.
     *
     * @param undo run if the message fails, or if the server skips it after an earlier error
     * @param done run when an EXECUTE or a Parse has succeeded, and for each statement of a QUERY that has
     * @param tag replaces the tag of its CommandComplete; null to keep the server's
     * @param statement the statement of a BIND or a DESCRIBE, if it was prepared under a name of ours
     * @param retryAt the position of the client's message among those that can be sent again; negative if it cannot
     * @param described whether the client already knows the statement's columns, so that they must not change
     * @param names what the message calls a statement that has a name of ours; null if it calls none so
     * @param told takes the columns that the answer to a DESCRIBE tells; null if nobody keeps them
     * @param columns the answer to an ABSORBED_DESCRIBE; null for all others
     */
    public record Owed(
            Sent sent,
            Runnable undo,
            Runnable done,
            @Nullable String tag,
            @Nullable Statement statement,
            int retryAt,
            boolean described,
            @Nullable Names names,
            @Nullable Consumer<Columns> told,
            @Nullable Columns columns) {

        /**
         * The names of a statement.
         *
         * @param servers the one that it is prepared under
         * @param clients the client's for it; empty for the unnamed one
         */
        public record Names(String servers, String clients) {}

        private static void nothing() {}

        public static Owed of(Sent sent) {
            return new Owed(sent, Owed::nothing, Owed::nothing, null, null, -1, false, null, null, null);
        }

        public static Owed of(Sent sent, Runnable undo) {
            return new Owed(sent, undo, Owed::nothing, null, null, -1, false, null, null, null);
        }

        /** @param done run when the server has prepared the statement */
        public static Owed parsing(Sent sent, Runnable undo, Runnable done) {
            return new Owed(sent, undo, done, null, null, -1, false, null, null, null);
        }

        /** A Parse under a name that is taken. */
        public static Owed duplicate(Names names) {
            return new Owed(Sent.PARSE, Owed::nothing, Owed::nothing, null, null, -1, false, names, null, null);
        }

        /** @param tag null to keep the server's */
        public static Owed executing(Sent sent, Runnable done, @Nullable String tag) {
            return new Owed(sent, Owed::nothing, done, tag, null, -1, false, null, null, null);
        }

        /** A Describe of a portal. */
        public static Owed describing(Consumer<Columns> told) {
            return new Owed(Sent.DESCRIBE, Owed::nothing, Owed::nothing, null, null, -1, false, null, told, null);
        }

        /** A Describe of a portal with these columns. */
        public static Owed described(Columns columns) {
            return new Owed(
                    Sent.ABSORBED_DESCRIBE, Owed::nothing, Owed::nothing, null, null, -1, false, null, null, columns);
        }

        public static Owed using(Sent sent, Statement statement, int retryAt, boolean described, Names names) {
            return new Owed(sent, Owed::nothing, Owed::nothing, null, statement, retryAt, described, names, null, null);
        }
    }

    private final Deque<Owed> owed = new ArrayDeque<>();
    private long sentInAll;
    private int rounds;

    /** The server has reported an error, and the Sync that it skips to has not been sent. */
    private boolean skipping;

    /** Syncs that were sent before a COPY began that has not succeeded. It is not known whether the server ignored them. */
    private int doubtful;

    public void sent(Sent what) {
        sent(Owed.of(what));
    }

    /** Records a sent message. */
    public void sent(Owed what) {
        if (skipping && !isSync(what.sent)) {
            what.undo.run(); // the server ignores it
            return;
        }
        skipping = false;
        owed.add(what);
        sentInAll++;
        if (what.sent == Sent.QUERY || isSync(what.sent)) {
            rounds++;
        }
    }

    /** The number of outstanding responses. */
    public int size() {
        return owed.size();
    }

    /** The number of messages that were ever recorded. */
    public long sentInAll() {
        return sentInAll;
    }

    /** Whether everything has been answered. */
    public boolean isSettled() {
        return owed.isEmpty();
    }

    /** Whether the server ignores everything before the next Sync. */
    public boolean isSkipping() {
        return skipping;
    }

    /** Whether a response of the server is outstanding, and not only of ours. */
    public boolean awaitsServer() {
        for (Owed each : owed) {
            if (!isOurs(each.sent)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isOurs(Sent sent) {
        return switch (sent) {
            case ABSORBED_PARSE, ABSORBED_CLOSE, ABSORBED_DESCRIBE, COPY_END -> true;
            default -> false;
        };
    }

    /** The number of outstanding ReadyForQuery messages. */
    public int rounds() {
        return rounds;
    }

    /** The message that the next response is for; null if none is outstanding. */
    public @Nullable Owed head() {
        return owed.peek();
    }

    /** Whether nothing is outstanding after the head's batch, except perhaps its own Sync. */
    public boolean isLastBatch() {
        return rounds == 0 || (rounds == 1 && isSync(owed.getLast().sent));
    }

    /** Writes the due responses to messages that were never sent to the server. */
    public void answerAbsorbed(FrameWriter client) {
        for (Owed head = owed.peek(); head != null; head = owed.peek()) {
            if (!isOurs(head.sent)) {
                return;
            }
            switch (head.sent) {
                case ABSORBED_PARSE -> client.message('1');
                case ABSORBED_CLOSE -> client.message('3');
                case ABSORBED_DESCRIBE -> Objects.requireNonNull(head.columns).write(client);
                default -> {} // has no answer of its own
            }
            owed.remove();
        }
    }

    /**
     * The server accepts a COPY's data from now on. It ignores each Sync until the end of the data (PostgreSQL documentation,
     * "COPY Operations"). It has not read them yet: if the COPY fails before that, as in a trigger that comes first or by a cancel, it
     * answers them. {@link #mayOweMore} tells of those.
     *
     * @return whether the end of the data was already sent
     * @throws ProtocolException if another message was sent: the server fails the COPY and does not answer that message, so
     *     later responses could not be matched
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
            doubtful++;
        }
        return false;
    }

    /**
     * Whether a ReadyForQuery may come that nothing which is outstanding accounts for. It comes before the answers to whatever is sent
     * later.
     */
    public boolean mayOweMore() {
        return doubtful > 0;
    }

    /** Everything that was sent before has been answered: the server has answered something that was sent later. */
    public void owesNoMore() {
        doubtful = 0;
    }

    /**
     * The head has failed and is sent again. Messages after it are undone, and the ReadyForQuery that ends the batch is
     * dropped.
     *
     * @return whether the batch's Sync has been sent; if not, the caller sends one
     */
    public boolean retract() {
        boolean synced = false;
        for (Owed last = owed.pollLast(); last != null; last = owed.pollLast()) {
            if (isSync(last.sent)) {
                synced = true;
                rounds--;
            } else {
                last.undo.run();
            }
        }
        skipping = false;
        sent(Sent.OUR_SYNC);
        return synced;
    }

    /**
     * The server sent a message of this type.
     *
     * @return whether the client must see it
     * @throws ProtocolException if it is no response to a sent message
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
                    doubtful = 0; // a COPY that succeeds has read all that was sent before its end
                    owed.remove().done.run();
                } else if (isHead(Sent.QUERY)) {
                    owed.getFirst().done.run();
                }
                yield true;
            }
            case 'E' -> {
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
                } else {
                    skipping = false;
                    doubtful = Math.max(0, doubtful - 1);
                }
                yield ended == null || ended.sent != Sent.OUR_SYNC;
            }
            default -> true;
        };
    }

    private static boolean isSync(Sent sent) {
        return sent == Sent.SYNC || sent == Sent.OUR_SYNC;
    }

    /** What was done last is undone first. */
    private void skipToSync() {
        Deque<Owed> skipped = new ArrayDeque<>();
        while (!owed.isEmpty() && !isSync(owed.getFirst().sent)) {
            if (isHead(Sent.QUERY)) {
                rounds--;
            }
            skipped.push(owed.remove());
        }
        skipped.forEach(each -> each.undo.run());
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
