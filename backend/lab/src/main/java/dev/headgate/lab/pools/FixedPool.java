package dev.headgate.lab.pools;

import dev.headgate.engine.Database;
import dev.headgate.engine.Pool;
import dev.headgate.engine.governor.PolicySet;
import dev.headgate.spi.Limits;
import dev.headgate.spi.WhenExhausted;
import java.time.Duration;

/** Opens pools whose size no policy changes, for experiments that ask something else than what policies do. */
public final class FixedPool {

    private static final long PATIENCE_MILLIS = 30_000;
    private static final Duration LOOK = Duration.ofMillis(2);

    private FixedPool() {}

    /**
     * Opens a pool and waits until all its connections are open.
     *
     * @throws IllegalStateException if they are not after 30 s
     */
    public static Pool open(Database database, String domain, int size) throws InterruptedException {
        Limits limits = Limits.unbounded().withFloor(size).withCeiling(size).because("fixed for the experiment");
        Pool pool = database.open(
                domain,
                PolicySet.of(
                        1,
                        WhenExhausted.queue(PATIENCE_MILLIS, Integer.MAX_VALUE),
                        new PolicySet.Member("fixed", view -> limits)));
        long deadline = System.nanoTime() + PATIENCE_MILLIS * 1_000_000;
        while (pool.status().idle() < size) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException(
                        domain + " has " + pool.status().idle() + " of " + size + " connections after 30 s");
            }
            Thread.sleep(LOOK);
        }
        return pool;
    }
}
