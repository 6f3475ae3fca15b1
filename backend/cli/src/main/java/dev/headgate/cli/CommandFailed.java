package dev.headgate.cli;

/** Ends a command without its result. The message goes to standard error as it is. */
final class CommandFailed extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Why the command ended: an exit code follows from it. */
    enum Kind {
        /** Nothing was asked of the service: an option is wrong, a file or the token is missing. */
        NOT_TRIED,
        TRIED
    }

    private final Kind kind;

    private CommandFailed(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    /** Could not be tried. Ends with the exit code that the command has for wrong input. */
    static CommandFailed notTried(String sentence) {
        return new CommandFailed(Kind.NOT_TRIED, "headgate: " + sentence);
    }

    /** Was tried and failed. Ends with 1. */
    static CommandFailed tried(String sentence) {
        return new CommandFailed(Kind.TRIED, "headgate: " + sentence);
    }

    /** The service refused it, in its own words. Ends with 1. */
    static CommandFailed refusedWith(String words) {
        return new CommandFailed(Kind.TRIED, words);
    }

    Kind kind() {
        return kind;
    }
}
