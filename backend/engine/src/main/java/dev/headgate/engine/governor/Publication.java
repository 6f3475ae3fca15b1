package dev.headgate.engine.governor;

import dev.headgate.spi.Limits;

/**
 * Writes down what is in force after a step: one immutable {@link DomainState.Standing} per domain, put in place whole. Any
 * thread reads it, and so sees the outcome of one step and never parts of two. What differs from the step before and is no
 * decision of its own yet (limits that moved, connections that are lent) is told here. Governor only.
 */
final class Publication {

    private final DatabaseState database;
    private final Narrator narrator;

    Publication(DatabaseState database, Narrator narrator) {
        this.database = database;
        this.narrator = narrator;
    }

    /** A step has ended. */
    void publish() {
        int given = database.budget();
        int guarantees = 0;
        int extras = 0;
        for (DomainState state : database.domains) {
            guarantees += state.guaranteed();
            extras += Math.max(0, state.size() - state.guaranteed());
        }
        int unowed = Math.max(0, given - guarantees);
        for (DomainState state : database.domains) {
            Limits limits = state.active.combined();
            int extra = Math.max(0, state.size() - state.guaranteed());
            int lent = extras > unowed ? extra - (int) ((long) extra * unowed / extras) : 0;
            int ceiling = Math.min(given, limits.ceiling());
            int floor = Math.min(limits.floor(), ceiling);
            DomainState.Standing before = state.standing;
            if (before.budget() > 0 && (before.floor() != floor || before.ceiling() != ceiling)) {
                narrator.limits(state, before, floor, ceiling);
            }
            if (before.lent() == 0 && lent > 0) {
                narrator.lent(state, lent);
            }
            state.standing = new DomainState.Standing(
                    limits,
                    floor,
                    ceiling,
                    state.pool.gate().permits(),
                    state.guaranteed(),
                    lent,
                    given,
                    state.active.degraded().or(database.active::degraded),
                    database.binding(state),
                    state.alarms.raised());
        }
    }
}
