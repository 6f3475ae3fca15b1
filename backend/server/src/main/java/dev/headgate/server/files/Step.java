package dev.headgate.server.files;

import java.util.List;

/** One change, and how it is made. */
record Step(Phase phase, FileChange change, Runnable action) {

    /**
     * When a change is made. Guarantees shrink before budgets do, and budgets grow before guarantees do, so that no budget is
     * broken on the way between two states that keep it.
     */
    enum Phase {
        DATABASE_MADE_OR_WIDENED,
        DOMAIN_DELETED,
        SET_NARROWED,
        DATABASE_NARROWED,
        DOMAIN_MADE_OR_WIDENED,
        DATABASE_DELETED
    }

    /** Every step, in the order in which it may be made. */
    static List<Step> ordered(List<Step> steps) {
        return steps.stream()
                .sorted(java.util.Comparator.comparing(Step::phase)) // stable: otherwise as the files have it
                .toList();
    }
}
