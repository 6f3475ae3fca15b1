package dev.headgate.wire.session;

import dev.headgate.protocol.Fields;
import dev.headgate.protocol.FrameReader;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a client's current round, up to its Sync, so that they can be sent again.
 *
 * <p>A statement that is kept prepared can become {@linkplain Stale stale} without Headgate seeing why: its table was altered by
 * another path, or a function dropped it. The server then reports an error at Bind or Describe, before anything was executed. A
 * client that has just prepared the statement must not see that. So the statement is prepared again, and the round is sent again
 * from the failed message, once. But a client that already knows the statement's columns or parameters and does not ask again
 * would not understand other ones. It gets the error, as from the server itself.
 */
final class Retry {

    /** A longer round is not sent again. */
    private static final int MOST = 16 * 1024;

    private byte @Nullable [] messages;
    private int end;
    private boolean overrun;
    private long round = -1;

    /** The current messages are a repetition. */
    private boolean again;

    /** The messages to send again once the server has finished the failed round; null if there are none. */
    private byte @Nullable [] pending;

    /**
     * Records a message whose body is complete.
     *
     * @param inRound the round of messages that it belongs to
     * @return its position; negative if it cannot be sent again
     */
    int note(FrameReader in, long inRound) {
        if (again) {
            return -1;
        }
        if (inRound != round) {
            round = inRound;
            end = 0;
            overrun = false;
        }
        int size = 5 + in.length();
        if (overrun || end + size > MOST || in.here() < in.length()) {
            overrun = true;
            return -1;
        }
        byte[] to = messages;
        if (to == null || end + size > to.length) {
            to = to == null ? new byte[Math.max(512, size)] : Arrays.copyOf(to, Math.min(MOST, 2 * (end + size)));
            messages = to;
        }
        int begin = end;
        to[end++] = (byte) in.type();
        int length = in.length() + 4;
        to[end++] = (byte) (length >> 24);
        to[end++] = (byte) (length >> 16);
        to[end++] = (byte) (length >> 8);
        to[end++] = (byte) length;
        System.arraycopy(in.array(), in.position(), to, end, in.length());
        end += in.length();
        return begin;
    }

    /** What an error at Bind or Describe says of the kept statement that it is about. */
    enum Stale {
        NO,

        /** It cannot be executed any more, whoever asks. */
        GONE,

        /** It has other result columns now. */
        OF_OTHER_COLUMNS,

        /**
         * Its parameters may be of other types now: the server still has those that it inferred when the statement was prepared, and
         * cannot make sense of it or of a value. Or the client made a mistake: then it is told so by the repetition.
         */
        PERHAPS_OF_OTHER_PARAMETERS
    }

    /** What the server's error says of a kept statement (PostgreSQL documentation, "PostgreSQL Error Codes"). */
    static Stale stale(Fields.Failure failure) {
        String state = failure.state();
        return switch (state) {
            case "0A000" -> failure.routine().equals("RevalidateCachedQuery") ? Stale.OF_OTHER_COLUMNS : Stale.NO;
            case "26000" -> Stale.GONE;
            case "XX000" -> failure.message().startsWith("cache lookup failed") ? Stale.GONE : Stale.NO;
            case "42501" -> Stale.NO; // a privilege that is missing
            default -> state.startsWith("42") || state.startsWith("22") ? Stale.PERHAPS_OF_OTHER_PARAMETERS : Stale.NO;
        };
    }

    /** Whether the current round can be sent again from this position on. */
    boolean isPossible(int from, long lastRound) {
        return from >= 0 && !overrun && lastRound == round;
    }

    /** The round's messages are to be sent again from this position on, once the server has finished the round. */
    void await(int from) {
        byte[] all = messages;
        pending = all == null ? new byte[0] : Arrays.copyOfRange(all, from, end);
    }

    /** Whether a round is to be sent again: until then the server's messages are dropped. */
    boolean isPending() {
        return pending != null;
    }

    /** The messages to send again. Called when the server has finished the failed round. */
    byte[] takePending() {
        byte[] taken = pending;
        if (taken == null) {
            throw new IllegalStateException("no round is to be sent again");
        }
        pending = null;
        return taken;
    }

    /** Nothing is sent again. */
    void dropPending() {
        pending = null;
    }

    /** Messages recorded from now on are a repetition and are not sent a third time. */
    void repeats(boolean so) {
        again = so;
    }

    /** Everything was answered. */
    void forget() {
        messages = null;
        end = 0;
        round = -1;
    }
}
