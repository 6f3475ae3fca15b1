package dev.headgate.engine.governor;

import java.util.Arrays;
import java.util.List;
import java.util.function.ToIntFunction;

/**
 * Divides the connections of one database among its domains; the one place where domains meet. Pure: the same claims give
 * the same shares.
 *
 * <p>Five levels are filled one after the other, each before the next gets anything: what is owed (guarantees, as far as
 * they are asked for now), one connection for everyone who needs any, what must stay open (floors), what is wanted (the
 * rest of the demand), and what is open anyway (idle connections that may stay as long as nobody else wants their place).
 * Within a level the split is weighted max-min fair by progressive filling: the next connection goes to whoever has least
 * for its weight, until it has what it claims or nothing is left (Bertsekas and Gallager, "Data Networks", 1992, section
 * 6.5.2). No domain can then gain without another one losing that has no more for its weight.
 *
 * <p>Ties: among domains with nothing yet, the longest wait decides, so that nobody starves even with fewer connections than
 * domains. Among the others, what a domain holds already decides, so that connections do not change hands for nothing.
 */
public final class Allocator {

    private Allocator() {}

    /**
     * What one domain asks for.
     *
     * @param floor connections that stay open even when idle
     * @param guaranteed connections owed to it as soon as it needs them
     * @param demand connections on lease plus requests that wait
     * @param keep connections it has open and would like to keep
     * @param ceiling what its policies allow; bounds all of the above
     * @param weight its share where there is not enough; positive and finite
     * @param holds connections it has now
     * @param longestWaitNanos how long its oldest waiter has waited
     */
    public record Claim(
            int floor,
            int guaranteed,
            int demand,
            int keep,
            int ceiling,
            double weight,
            int holds,
            long longestWaitNanos) {
        Claim wantingAtLeast(int connections) {
            return new Claim(
                    floor, guaranteed, Math.max(demand, connections), keep, ceiling, weight, holds, longestWaitNanos);
        }

        private int owed() {
            return Math.min(Math.min(guaranteed, demand), ceiling);
        }

        private int first() {
            return Math.max(owed(), Math.min(Math.min(1, demand), ceiling));
        }

        private int mustHave() {
            return Math.max(first(), Math.min(floor, ceiling));
        }

        private int wanted() {
            return Math.max(mustHave(), Math.min(demand, ceiling));
        }

        /** What it has once everybody has what they need. */
        int kept() {
            return Math.max(wanted(), Math.min(keep, ceiling));
        }
    }

    private static final List<ToIntFunction<Claim>> LEVELS =
            List.of(Claim::owed, Claim::first, Claim::mustHave, Claim::wanted, Claim::kept);

    /**
     * @param total connections there are to divide
     * @return per claim, in the order of the claims, the connections it may have; in all at most {@code total}
     */
    public static int[] allocate(int total, List<Claim> claims) {
        int[] shares = new int[claims.size()];
        int left = total;
        for (ToIntFunction<Claim> level : LEVELS) {
            left = fill(left, claims, shares, level);
        }
        return shares;
    }

    private static int fill(int total, List<Claim> claims, int[] shares, ToIntFunction<Claim> level) {
        int[] limits = claims.stream().mapToInt(level).toArray();
        int asked = 0;
        for (int i = 0; i < shares.length; i++) {
            asked += Math.max(0, limits[i] - shares[i]);
        }
        if (asked <= total) { // enough for everyone: nothing to be fair about
            Arrays.setAll(shares, i -> Math.max(shares[i], limits[i]));
            return total - asked;
        }
        for (int left = total; left > 0; left--) {
            int next = neediest(claims, shares, limits);
            if (next < 0) {
                return left;
            }
            shares[next]++;
        }
        return 0;
    }

    /** The index of the claim that gets the next connection; -1 where every one has what it may have. */
    private static int neediest(List<Claim> claims, int[] shares, int[] limits) {
        int found = -1;
        double least = 0;
        for (int i = 0; i < shares.length; i++) {
            if (shares[i] < limits[i]) {
                double filled = shares[i] / claims.get(i).weight();
                if (found < 0
                        || filled < least
                        || (filled == least
                                && precedence(claims.get(i), shares[i])
                                        > precedence(claims.get(found), shares[found]))) {
                    found = i;
                    least = filled;
                }
            }
        }
        return found;
    }

    private static long precedence(Claim claim, int share) {
        return share == 0 ? claim.longestWaitNanos() : claim.holds();
    }
}
