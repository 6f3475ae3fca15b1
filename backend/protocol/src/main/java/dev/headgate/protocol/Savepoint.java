package dev.headgate.protocol;

/**
 * What a statement does with a savepoint of its transaction.
 *
 * @param name as the server knows it: lower case unless it was quoted
 */
public record Savepoint(Deed deed, String name) {

    /** The statements SAVEPOINT, RELEASE and ROLLBACK TO. */
    public enum Deed {
        SET,
        RELEASE,
        ROLL_BACK
    }
}
