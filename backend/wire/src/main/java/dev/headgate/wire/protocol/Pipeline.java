package dev.headgate.wire.protocol;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

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
        ABSORBED_CLOSE
    }

    private record Owed(Sent sent, Runnable undo) {}

    private final Deque<Owed> owed = new ArrayDeque<>();
    private int rounds;

    /** The server has failed and the Sync that it skips to is not sent yet. */
    private boolean skipping;

    /** Something was sent. */
    public void sent(Sent what) {
        sent(what, () -> {});
    }

    /** @param undo run if an earlier error makes the server skip it, or it fails itself */
    public void sent(Sent what, Runnable undo) {
        if (skipping && what != Sent.SYNC) {
            undo.run(); // the server does not look at it
            return;
        }
        skipping = false;
        owed.add(new Owed(what, undo));
        if (what == Sent.QUERY || what == Sent.SYNC) {
            rounds++;
        }
    }

    /** Whether everything is answered. */
    public boolean isSettled() {
        return owed.isEmpty();
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
            } else {
                return;
            }
            owed.remove();
        }
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
                    owed.remove();
                }
                yield true;
            }
            case 'E' -> {
                if (head() != Sent.QUERY) {
                    skipToSync();
                    skipping = owed.isEmpty();
                }
                yield true;
            }
            case 'Z' -> {
                while (!owed.isEmpty() && head() != Sent.QUERY && head() != Sent.SYNC) {
                    owed.remove();
                }
                if (owed.poll() != null) {
                    rounds--;
                }
                yield true;
            }
            default -> true;
        };
    }

    private void skipToSync() {
        while (!owed.isEmpty() && head() != Sent.SYNC) {
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
