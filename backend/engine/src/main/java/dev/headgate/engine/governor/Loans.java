package dev.headgate.engine.governor;

import java.util.ArrayList;
import java.util.List;

/** Connections that are owed to domains without need of them, and that others hold meanwhile. Pure. */
final class Loans {

    private Loans() {}

    /**
     * What each pool has on loan: what is lent, shared out over the pools that hold more than they are owed. The sum of all
     * shares is what is lent, however they are rounded.
     */
    static List<Integer> of(Picture picture) {
        long guarantees = 0;
        long unneeded = 0;
        int extras = 0;
        for (Picture.Pool pool : picture.pools()) {
            guarantees += pool.guaranteed();
            unneeded += Math.max(0, pool.guaranteed() - Math.max(pool.size(), pool.demand()));
            extras += extra(pool);
        }
        int lent = (int) Math.clamp(extras - Math.max(0, picture.budget() - guarantees), 0, unneeded);
        List<Integer> shares = new ArrayList<>();
        int seen = 0;
        int given = 0;
        for (Picture.Pool pool : picture.pools()) {
            seen += extra(pool);
            int due = (int) ((long) lent * seen / Math.max(1, extras));
            shares.add(due - given);
            given = due;
        }
        return shares;
    }

    private static int extra(Picture.Pool pool) {
        return Math.max(0, pool.size() - pool.guaranteed());
    }
}
