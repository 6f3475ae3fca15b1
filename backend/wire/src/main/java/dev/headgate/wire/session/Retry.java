package dev.headgate.wire.session;

import dev.headgate.protocol.Fields;
import dev.headgate.protocol.FrameReader;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a client's present round, up to its Sync, so that they can be sent again.
 *
 * <p>A statement that is kept prepared may have become stale without anyone here having seen why: its table was altered
 * past Headgate, a function dropped it. A server that is asked for it then says so at Bind or Describe, before anything was
 * executed. A client that prepared it a moment ago must not see that: the statement is prepared anew and the round is sent
 * again from the message that failed, once. But a client that was told before what the statement gives, and does not ask
 * again, would not understand other columns: it gets the error, as from the server itself.
 */
final class Retry {

    /** A longer round is not sent again. */
    private static final int MOST = 16 * 1024;

    private byte @Nullable [] messages;
    private int end;
    private boolean overrun;
    private long round = -1;

    /** What is sent now was sent before. */
    private boolean again;

    /**
     * Notes a message whose body is here whole.
     *
     * @param inRound the round of messages that it belongs to
     * @return where it stands; negative where it cannot be sent again
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

    /** Whether an error says that the statement kept here is stale, and not that the client is wrong. */
    static boolean isOfStale(Fields.Failure failure) {
        return switch (failure.state()) {
            case "0A000" -> failure.routine().equals("RevalidateCachedQuery");
            case "26000" -> true;
            case "XX000" -> failure.message().startsWith("cache lookup failed");
            default -> false;
        };
    }

    /** Whether it says that the statement would give other columns than it did. */
    static boolean isOfChangedShape(Fields.Failure failure) {
        return failure.state().equals("0A000");
    }

    /** Whether the present round can be sent again from there on. */
    boolean isPossible(int from, long lastRound) {
        return from >= 0 && !overrun && lastRound == round;
    }

    /** The round's messages from there on. */
    byte[] from(int from) {
        byte[] all = messages;
        return all == null ? new byte[0] : Arrays.copyOfRange(all, from, end);
    }

    /** What is noted from now on was sent before, and is not sent a third time. */
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
