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
        Loans loans = new Loans();
        for (DomainState state : database.domains) {
            Limits limits = state.active.combined();
            int lent = loans.next(state);
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
                    Bound.binding(database, state),
                    state.alarms.raised());
        }
    }

    /** Connections that are owed to domains without need of them, shared out over those that hold more than they are owed. */
    private final class Loans {

        private final int lent;
        private int extras;
        private int seen;
        private int told;

        Loans() {
            int guarantees = 0;
            int unneeded = 0;
            for (DomainState state : database.domains) {
                guarantees += state.guaranteed();
                unneeded += Math.max(0, state.guaranteed() - Math.max(state.size(), state.demand()));
                extras += extra(state);
            }
            int unowed = Math.max(0, database.budget() - guarantees);
            lent = Math.clamp(extras - unowed, 0, unneeded);
        }

        private static int extra(DomainState state) {
            return Math.max(0, state.size() - state.guaranteed());
        }

        /** The share of the next domain. All shares together are what is lent, however they are rounded. */
        int next(DomainState state) {
            seen += extra(state);
            int before = told;
            told = seen == 0 ? 0 : (int) ((long) lent * Math.min(seen, extras) / Math.max(1, extras));
            return Math.max(0, told - before);
        }
    }
}
