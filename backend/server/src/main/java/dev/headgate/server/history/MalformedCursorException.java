package dev.headgate.server.history;

/** A cursor is malformed. */
public final class MalformedCursorException extends IllegalArgumentException {

    private static final long serialVersionUID = 1;

    MalformedCursorException(Throwable cause) {
        super("not a cursor of the decision log", cause);
    }
}
