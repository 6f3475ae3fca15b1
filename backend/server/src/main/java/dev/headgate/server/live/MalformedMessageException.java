package dev.headgate.server.live;

/** A client's message is malformed. The exception's message names the field, the fault and what is allowed. */
final class MalformedMessageException extends Exception {

    private static final long serialVersionUID = 1;

    MalformedMessageException(String message) {
        super(message);
    }
}
