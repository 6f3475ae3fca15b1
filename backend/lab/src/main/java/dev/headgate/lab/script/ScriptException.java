package dev.headgate.lab.script;

/** A script cannot be read. The message is a clause that says what is wrong and what is allowed. */
public final class ScriptException extends Exception {

    private static final long serialVersionUID = 1;

    private final int line;

    ScriptException(int line, String message) {
        super(message);
        this.line = line;
    }

    /** The line of the script, from 1. */
    public int line() {
        return line;
    }
}
