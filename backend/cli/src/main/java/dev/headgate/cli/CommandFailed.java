package dev.headgate.cli;

/** A command failed. The message is printed to standard error unchanged. */
final class CommandFailed extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Why the command failed; decides the exit code. */
    enum Kind {
        /** The command sent nothing: an option is wrong, or a file or the token is missing. */
        NOT_TRIED,
        TRIED
    }

    private final Kind kind;

    private CommandFailed(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    /** The command could not be tried. Ends with the command's exit code for wrong input. */
    static CommandFailed notTried(String sentence) {
        return new CommandFailed(Kind.NOT_TRIED, "headgate: " + sentence);
    }

    /** The command was tried and failed. Ends with 1. */
    static CommandFailed tried(String sentence) {
        return new CommandFailed(Kind.TRIED, "headgate: " + sentence);
    }

    /** The service refused the command; the message is the service's. Ends with 1. */
    static CommandFailed refusedWith(String words) {
        return new CommandFailed(Kind.TRIED, words);
    }

    Kind kind() {
        return kind;
    }
}
