package dev.headgate.engine.meter;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Bounds what a driver reads before a server has let it in, and for a statement that somebody else wrote. pgjdbc keeps the rows of an
 * answer in memory and a message whole, whatever length the server states. Its own bound, {@code maxResultBuffer}, leaves the rest of
 * the row unread and takes it for the next messages.
 */
public final class AnswerBound {

    /**
     * Bound around the use of a connection: the most bytes that the server may send until its next ReadyForQuery. A longer answer
     * ends the connection with a {@link TooLongException} as a cause, before the driver sees the message that exceeds it.
     */
    public static final ScopedValue<Long> MOST_BYTES = ScopedValue.newInstance();

    /** The most bytes of all that a server sends before its first ReadyForQuery: whoever listens at that address may send it. */
    static final long OF_LOGIN = 1 << 20;

    private AnswerBound() {}

    /** An answer exceeds its bound. */
    public static final class TooLongException extends IOException {
        private static final long serialVersionUID = 1;

        TooLongException(long most) {
            super("the server's answer has more than " + most + " bytes");
        }

        /** The one among the causes of a failure; null if there is none. */
        public static @Nullable TooLongException in(Throwable failure) {
            for (Throwable each = failure; each != null; each = each.getCause()) {
                if (each instanceof TooLongException found) {
                    return found;
                }
            }
            return null;
        }
    }
}
