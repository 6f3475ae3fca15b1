package dev.headgate.wire.session;

import dev.headgate.protocol.FrameReader;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The parameter values of a Bind message, where they stand in it (PostgreSQL documentation, "Message Formats"). */
final class BoundParameters {

    private final byte[] bind;

    /** The position of each value, after its length; 0 for NULL. */
    private final int[] begins;

    private final int end;

    private BoundParameters(byte[] bind, int[] begins, int end) {
        this.bind = bind;
        this.begins = begins;
        this.end = end;
    }

    /**
     * Those of a message. The array must stay as it is.
     *
     * @param from the position of the parameter formats
     * @param to where the message ends, or what is here of it
     * @return null if not all of them are here
     */
    static @Nullable BoundParameters of(byte[] bind, int from, int to) {
        int at = from + 2 + 2 * (from + 2 <= to ? FrameReader.int16(bind, from) : 0);
        if (at + 2 > to) {
            return null;
        }
        int count = FrameReader.int16(bind, at);
        at += 2;
        if (count > (to - at) / 4) { // each has a length: a short message shall not claim many
            return null;
        }
        int[] begins = new int[count];
        for (int i = 0; i < begins.length; i++) {
            if (at + 4 > to) {
                return null;
            }
            int length = FrameReader.int32(bind, at);
            at += 4;
            if (length > to - at) {
                return null;
            }
            begins[i] = length < 0 ? 0 : at;
            at += Math.max(0, length);
        }
        return new BoundParameters(bind, begins, at);
    }

    int count() {
        return begins.length;
    }

    /** The value of a parameter, numbered from 1, read as UTF-8; null for NULL, or if there is no such parameter. */
    @Nullable
    String text(int number) {
        int begin = number <= begins.length ? begins[number - 1] : 0;
        return begin == 0 ? null : new String(bind, begin, FrameReader.int32(bind, begin - 4), StandardCharsets.UTF_8);
    }

    /** The position of what follows them: the formats of the columns. */
    int end() {
        return end;
    }
}
