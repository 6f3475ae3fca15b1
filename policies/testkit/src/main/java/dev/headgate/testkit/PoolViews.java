package dev.headgate.testkit;

import dev.headgate.spi.DatabaseView;
import dev.headgate.spi.Limits;
import dev.headgate.spi.PoolView;
import dev.headgate.spi.Tier;
import java.util.List;

/** Views of a pool that is alone on its database, for tests of one answer. */
public final class PoolViews {

    private static final int BUDGET = 100;

    private PoolViews() {}

    /** A pool as it stands at the start of its time, before its first window. */
    public static PoolView of(int size, int inUse, int waiting) {
        return new PoolView(
                "domain",
                1,
                Views.START,
                Views.START_NANOS,
                size,
                inUse,
                size - inUse,
                waiting,
                0,
                Views.emptyWindow(Views.START_NANOS),
                Limits.unbounded(),
                new DatabaseView(
                        "database",
                        BUDGET,
                        size,
                        List.of(new DatabaseView.Sibling("domain", Tier.NONE, size, inUse, waiting, 0))));
    }
}
