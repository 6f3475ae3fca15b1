package dev.headgate.wire.session;

import dev.headgate.protocol.ProtocolException;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The memory that a client makes the port hold: its prepared statements, its settings, and a message that must be complete before it
 * can be handled. The memory is reserved before it is used. Memory that every client may use is not counted: its buffers, and
 * messages, settings and an unnamed statement of up to {@value #FREE} bytes. If a reservation is refused, the client gets an error
 * (53200) and its session ends. That frees its memory; other clients are not affected.
 */
final class Holdings {

    /** Bytes of a message or of the unnamed statement that are not counted. */
    static final int FREE = 4 * 1024;

    static final String ANOTHER_STATEMENT = "another prepared statement";

    private final Surroundings surroundings;
    private long message;
    private long unnamed;
    private long settings;

    /** Texts that the client has dropped, in their order. */
    private final ArrayDeque<Dropped> dropped = new ArrayDeque<>(0);

    /** @param sent the messages that were sent before; until all of them are answered, the text is needed to undo them */
    private record Dropped(long bytes, long sent) {}

    Holdings(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    /**
     * Reserves memory for the bytes of the current message that must be complete.
     *
     * @return whether it is reserved; not if they are so few that they are not counted
     */
    boolean gather(long bytes) throws ProtocolException {
        message = change(message, bytes <= FREE ? 0 : bytes, "a message");
        return message > 0;
    }

    /** Bytes that are reserved for the current message. */
    long ofMessage() {
        return message;
    }

    /** The current message has been handled. */
    void gathered() {
        if (message > 0) {
            surroundings.letGo(message);
            message = 0;
        }
    }

    /** The unnamed statement is replaced by another one of this size. */
    void holdUnnamed(long bytes, Link to) throws ProtocolException {
        if (unnamed > 0 && !to.pipeline.isSettled()) {
            drop(unnamed, to);
            unnamed = 0;
        }
        unnamed = change(unnamed, bytes <= FREE ? 0 : bytes, "a statement");
    }

    /** Reserves memory for the client's settings, and for its statements that set some, before it has so many bytes of them. */
    void holdSettings(long bytes) throws ProtocolException {
        settings = change(settings, bytes <= FREE ? 0 : bytes, "settings");
    }

    /** They have become so many bytes by what the server has answered. */
    void settleSettings(long bytes) {
        long now = bytes <= FREE ? 0 : bytes;
        if (now > settings) {
            surroundings.holdAgain(now - settings);
        } else if (now < settings) {
            surroundings.letGo(settings - now);
        }
        settings = now;
    }

    private long change(long before, long after, String what) throws ProtocolException {
        if (after > before && !surroundings.hold(after - before)) {
            throw noRoomFor(what + " of " + after + " bytes");
        }
        if (after < before) {
            surroundings.letGo(before - after);
        }
        return after;
    }

    /** Reserves memory for one more statement: what of it is not in {@link SharedTexts}. */
    void hold(long bytes) throws ProtocolException {
        if (!surroundings.hold(bytes)) {
            throw noRoomFor(ANOTHER_STATEMENT);
        }
    }

    /** A released statement is kept after all. Its memory is reserved without a check, because there was room for it. */
    void holdAgain(long bytes) {
        surroundings.holdAgain(bytes);
    }

    void letGo(long bytes) {
        surroundings.letGo(bytes);
    }

    /** A text is dropped. If messages are not answered that may need it, it stays reserved until they are. */
    void drop(long bytes, @Nullable Link to) {
        if (to == null || to.pipeline.isSettled()) {
            letGo(bytes);
        } else {
            dropAnswered(to);
            dropped.add(new Dropped(bytes, to.pipeline.sentInAll()));
        }
    }

    /** Releases the dropped texts that no message needs any more. */
    void dropAnswered(Link from) {
        long answered = from.pipeline.sentInAll() - from.pipeline.size();
        while (!dropped.isEmpty()
                && (from.pipeline.isSettled() || dropped.element().sent() <= answered)) {
            letGo(dropped.remove().bytes());
        }
    }

    /** A client may keep so many and no more, however short they are. */
    static ProtocolException tooManyStatements(int kept) {
        return new ProtocolException(
                "53200",
                "out of memory: this client keeps " + kept
                        + " prepared statements, as many as it may (headgate.wire.statements);"
                        + " close those that it no longer needs, or use fewer names");
    }

    /** A client may have so many and no more: whoever shares its loop waits while they are applied. */
    static ProtocolException tooManySettings() {
        return new ProtocolException(
                "53200",
                "out of memory: this client has set " + Rules.SETTINGS
                        + " settings, as many as it may; use fewer names, or RESET those that it no longer needs");
    }

    static ProtocolException noRoomFor(String what) {
        return new ProtocolException(
                "53200",
                "out of memory: there is no room for " + what
                        + "; this client, its domain or all clients hold as much as they may");
    }
}
