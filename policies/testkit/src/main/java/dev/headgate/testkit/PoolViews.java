package dev.headgate.testkit;

import dev.headgate.engine.time.VirtualTime;
import dev.headgate.spi.DatabaseView;
import dev.headgate.spi.Limits;
import dev.headgate.spi.PoolView;
import dev.headgate.spi.Tier;
import java.util.List;

/** Views of a pool that is alone on its database, for tests of one answer. */
public final class PoolViews {

    private static final int BUDGET = 100;

    private PoolViews() {}

    /** A pool as it stands at the start of virtual time, before its first window. */
    public static PoolView of(int size, int inUse, int waiting) {
        VirtualTime start = new VirtualTime();
        return new PoolView(
                "domain",
                1,
                start.now(),
                start.nanoTime(),
                size,
                inUse,
                size - inUse,
                waiting,
                0,
                Views.emptyWindow(start.nanoTime()),
                Limits.unbounded(),
                new DatabaseView(
                        "database",
                        BUDGET,
                        size,
                        List.of(new DatabaseView.Sibling("domain", Tier.NONE, size, inUse, waiting, 0))));
    }
}
