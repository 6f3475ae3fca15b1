package dev.headgate.protocol;

/** The columns of a statement, as the server tells them after a Describe: a RowDescription, or NoData. Immutable. */
public final class Columns {

    private final char type;
    private final byte[] body;

    private Columns(char type, byte[] body) {
        this.type = type;
        this.body = body;
    }

    /** Those that a message tells. All of it must have arrived; it stays open. */
    public static Columns of(FrameReader message) {
        return new Columns(message.type(), message.peek(message.length()));
    }

    /** Writes the message. */
    void write(FrameWriter to) {
        to.message(type, body);
    }

    /** In bytes. */
    int size() {
        return body.length;
    }
}
