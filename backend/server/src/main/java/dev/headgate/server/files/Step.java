package dev.headgate.server.files;

import java.util.List;

/**
 * One change and its execution.
 *
 * @param source whose it is
 * @param actions in their order; each is kept when it is done, whatever becomes of the next
 */
record Step(Phase phase, Source source, FileChange change, List<Action> actions) {

    /** @param done what has happened then, as a sentence */
    record Action(String done, Runnable change) {}

    Step(Phase phase, Source source, FileChange change, Action... actions) {
        this(phase, source, change, List.of(actions));
    }

    /**
     * The order of changes. Guarantees shrink before budgets do, and budgets grow before guarantees do, so that every state on the way
     * keeps the budgets.
     */
    enum Phase {
        DATABASE_MADE_OR_WIDENED,
        DOMAIN_DELETED,
        SET_NARROWED,
        DATABASE_NARROWED,
        DOMAIN_MADE_OR_WIDENED,
        DATABASE_DELETED
    }

    /** The steps in the order of their phases. */
    static List<Step> ordered(List<Step> steps) {
        return steps.stream()
                .sorted(java.util.Comparator.comparing(Step::phase)) // stable: within a phase in the order of the files
                .toList();
    }
}
