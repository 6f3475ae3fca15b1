package dev.headgate.engine.governor;

import dev.headgate.engine.governor.Decision.Bounds;
import dev.headgate.spi.Limits;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Divides the connections of a database: the {@link Allocator} says what each pool is due, and this class says how much of it
 * a pool can have now. Pure.
 *
 * <p>Allocation alone does not keep the budget, because a shrinking pool keeps leased connections until they are released. So
 * {@link #permits} adds only what is really left after shrinking. While a pool opens a connection, it adds at most
 * {@value #OPENING_AT_ONCE} more, so that a short burst, which returning connections would soon serve, does not open a dozen.
 */
final class Division {

    /** Connections one pool may be opening before it is given further permits. */
    static final int OPENING_AT_ONCE = 2;

    /** Connections that nobody needed for so long are closed, where no policy says so. */
    static final long DEFAULT_IDLE_TIMEOUT_NANOS = TimeUnit.MINUTES.toNanos(10);

    private static final Allocator.Claim NO_CLAIM = new Allocator.Claim(0, 0, 0, 0, 0, 1, 0, 0);

    private Division() {}

    static List<Allocator.Claim> claims(Picture picture) {
        return picture.pools().stream()
                .map(pool -> pool.draining() ? NO_CLAIM : claim(pool, picture.budget()))
                .toList();
    }

    private static Allocator.Claim claim(Picture.Pool pool, int budget) {
        Limits limits = pool.verdict().limits();
        Bounds bounds = pool.verdict().bounds(budget, 0);
        int size = pool.size();
        int present = pool.isOpen() ? pool.demand() : pool.gate().inUse();
        return new Allocator.Claim(
                bounds.floor(),
                pool.guaranteed(),
                Math.max(present, Math.min(size, pool.need().recently())),
                Math.min(size, Math.max(pool.need().withinIdleTimeout(), bounds.floor())),
                bounds.ceiling(),
                Double.isInfinite(limits.weight()) ? 1 : limits.weight(),
                size,
                pool.gate().longestWaitNanos());
    }

    /**
     * Adds permits as far as the budget has room.
     *
     * @param taken the database after permits were taken away
     * @param shares what each pool is due
     * @return the permits of each pool; never fewer than it has
     */
    static List<Integer> permits(Picture taken, List<Integer> shares) {
        List<Picture.Pool> pools = taken.pools();
        List<Integer> permits = new ArrayList<>(
                pools.stream().map(pool -> pool.gate().permits()).toList());
        int room = taken.budget() - taken.held();
        for (int i : byNeed(pools)) {
            Picture.Pool pool = pools.get(i);
            int wanted = shares.get(i) - permits.get(i);
            if (wanted > 0) {
                // a debt that is forgiven needs no room: its connection is open already
                int forgiven = Math.min(wanted, pool.gate().debt());
                int opened = Math.min(
                        Math.min(wanted - forgiven, Math.max(0, room)),
                        Math.max(0, OPENING_AT_ONCE - pool.links().opening() - unopened(pool)));
                room -= opened;
                permits.set(i, permits.get(i) + forgiven + opened);
            }
        }
        return permits;
    }

    /** Permits whose connection HikariCP has not begun to open. */
    private static int unopened(Picture.Pool pool) {
        return Math.max(0, pool.size() - pool.links().open() - pool.links().opening());
    }

    /** Indexes of the pools, those furthest below their guarantee first. */
    private static List<Integer> byNeed(List<Picture.Pool> pools) {
        return IntStream.range(0, pools.size())
                .boxed()
                .sorted(Comparator.comparingInt((Integer i) -> owed(pools.get(i)))
                        .reversed())
                .toList();
    }

    private static int owed(Picture.Pool pool) {
        return Math.max(0, Math.min(pool.guaranteed(), pool.demand()) - pool.size());
    }

    /**
     * What would come of one more request. Whoever waits asks for one more already: one division, made when first needed,
     * answers for all of those.
     */
    static final class Prospect {

        private final Picture picture;
        private final boolean allIsHeld;
        private List<Allocator.Claim> claims = List.of();
        private int[] shares = {};

        Prospect(Picture picture) {
            this.picture = picture;
            this.allIsHeld = picture.held() >= picture.capacity();
        }

        /** Whether one more waiter would not be given one more connection. */
        boolean isExhausted(int index) {
            Picture.Pool pool = picture.pools().get(index);
            int permits = pool.gate().permits();
            return permits >= pool.verdict().limits().ceiling()
                    || (allIsHeld && permits >= shareOf(index, permits + 1));
        }

        /** What a domain would be given if it asked for at least so many. */
        private int shareOf(int index, int asked) {
            if (claims.isEmpty()) {
                claims = claims(picture);
                shares = Allocator.allocate(picture.capacity(), claims);
            }
            if (claims.get(index).demand() >= asked) {
                return shares[index];
            }
            List<Allocator.Claim> supposed = new ArrayList<>(claims);
            supposed.set(index, claims.get(index).wantingAtLeast(asked));
            return Allocator.allocate(picture.capacity(), supposed)[index];
        }
    }
}
