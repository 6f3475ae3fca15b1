package dev.headgate.engine.meter;

/** Why a connection was closed. */
public enum Ending {
    LIFETIME("it had reached its longest lifetime"),
    SHRUNK("the policies allowed fewer connections"),
    UNNEEDED("nobody needed so many connections"),
    RECLAIMED("other domains of the database were owed it, or its budget shrank"),
    DRAINED("the domain was drained"),
    DATABASE("the database had ended it"),
    DISCARDED("its holder could not return it in order"),
    RESET_FAILED("its session could not be reset"),
    FLUSHED("an operator flushed the pool"),
    OPERATOR("an operator ended its lease"),
    POOL_CLOSED("the pool was closed"),
    UNTESTED("it did not pass its test");

    private final String sentence;

    Ending(String sentence) {
        this.sentence = sentence;
    }

    /** For people. */
    public String sentence() {
        return sentence;
    }
}
