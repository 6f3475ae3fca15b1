package dev.headgate.server.live;

/** A client's message cannot be understood. The message names the field, what is wrong and what is allowed. */
final class MalformedMessageException extends Exception {

    private static final long serialVersionUID = 1;

    MalformedMessageException(String message) {
        super(message);
    }
}
