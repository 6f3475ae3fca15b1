package dev.headgate.engine.governor;

import java.util.Optional;

/** Says how many connections this node may open on a database now. One node alone is given all of the budget. */
@FunctionalInterface
public interface BudgetSource {
    /** Called by the governor at every step; must not block. */
    int connections();

    /** What is wrong with the count of open connections, as a sentence. Called at the end of every window; must not block. */
    default Optional<String> discrepancy() {
        return Optional.empty();
    }

    /** Why no connection can be opened, as whoever watches the database saw last. Called at every step; must not block. */
    default Optional<String> unreachable() {
        return Optional.empty();
    }
}
