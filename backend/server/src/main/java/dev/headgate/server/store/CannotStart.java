package dev.headgate.server.store;

import org.springframework.boot.ExitCodeGenerator;

/** The service cannot start; the message is one sentence for the operator. Nothing was changed. */
public final class CannotStart extends RuntimeException implements ExitCodeGenerator {

    private static final long serialVersionUID = 1;

    /** The exit codes: the usual one, and the one for a store that only a newer Headgate can read. 3 is the JVM's, out of memory. */
    public static final int EXIT_FAILED = 1;

    public static final int EXIT_NEWER_STORE = 4;

    private final int exitCode;

    public CannotStart(String sentence, int exitCode) {
        super(sentence);
        this.exitCode = exitCode;
    }

    public CannotStart(String sentence, Throwable cause) {
        super(sentence, cause);
        this.exitCode = EXIT_FAILED;
    }

    @Override
    public int getExitCode() {
        return exitCode;
    }
}
