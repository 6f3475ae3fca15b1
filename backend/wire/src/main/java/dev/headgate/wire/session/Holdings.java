package dev.headgate.wire.session;

import dev.headgate.protocol.ProtocolException;

/**
 * What a client makes the port hold for it, reserved before it is held: the statements that it has prepared, and a message
 * that is gathered because it must be here whole. What every client may have is not counted: its buffers, and messages and an
 * unnamed statement of up to {@value #FREE} bytes. A client that asks for more than there is is told so (53200), and its
 * session ends: what it holds is free then, and nobody else notices.
 */
final class Holdings {

    /** Bytes of a message or of the unnamed statement that are not counted. */
    static final int FREE = 64 * 1024;

    private final Surroundings surroundings;
    private long message;
    private long unnamed;

    Holdings(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    /** So many bytes of the present message are to be here at once. */
    void gather(long bytes) throws ProtocolException {
        message = change(message, bytes <= FREE ? 0 : bytes, "a message of " + bytes + " bytes");
    }

    /** The present message has been dealt with. */
    void gathered() {
        if (message > 0) {
            surroundings.letGo(message);
            message = 0;
        }
    }

    /** The unnamed statement is another, of so many bytes. */
    void holdUnnamed(long bytes) throws ProtocolException {
        unnamed = change(unnamed, bytes <= FREE ? 0 : bytes, "a statement of " + bytes + " bytes");
    }

    private long change(long before, long after, String what) throws ProtocolException {
        if (after > before) {
            reserve(after - before, what);
        } else if (after < before) {
            surroundings.letGo(before - after);
        }
        return after;
    }

    /** One more statement. */
    void hold(long bytes) throws ProtocolException {
        reserve(bytes, "another prepared statement");
    }

    /** A statement that was let go is there after all: there was room for it. */
    void holdAgain(long bytes) {
        surroundings.holdAgain(bytes);
    }

    void letGo(long bytes) {
        surroundings.letGo(bytes);
    }

    private void reserve(long bytes, String what) throws ProtocolException {
        if (!surroundings.hold(bytes)) {
            throw new ProtocolException(
                    "53200",
                    "out of memory: there is no room for " + what
                            + "; this client, its domain or all clients hold as much as they may");
        }
    }
}
