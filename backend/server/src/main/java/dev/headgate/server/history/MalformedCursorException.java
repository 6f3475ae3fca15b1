package dev.headgate.server.history;

/** What was given as a cursor is none. */
public final class MalformedCursorException extends IllegalArgumentException {

    private static final long serialVersionUID = 1;

    MalformedCursorException(Throwable cause) {
        super("not a cursor of the decision log", cause);
    }
}
