package dev.headgate.server.sizing;

import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * What any size would give, as far as the sizes that were measured tell: the model that {@code latency-cap} decides by, fitted to trials.
 * How long a lease is held is a straight line over the connections in use (Jordan, TR-2006-151); how many are served a second follows
 * from it by Little's law; and how long callers wait who come at a rate of their own, from Sakasegawa's approximation of a queue with
 * several servers ("An Approximation Formula L<sub>q</sub> = &alpha;&rho;<sup>&beta;</sup>/(1-&rho;)", 1977). Immutable.
 */
final class LoadModel {

    /** Beyond this share of their capacity connections serve no queue that ends. */
    private static final double MOST_LOAD = 0.999;

    private final double baseMs;
    private final double slopeMs;
    /** A second; infinite where no size has served all. */
    private final double arrivals;

    private LoadModel(double baseMs, double slopeMs, double arrivals) {
        this.baseMs = baseMs;
        this.slopeMs = slopeMs;
        this.arrivals = arrivals;
    }

    /** Empty for fewer than two sizes that count, or where they all had the same number of connections in use. */
    static Optional<LoadModel> of(Collection<Seen> seen) {
        List<Seen> counting = seen.stream().filter(Seen::counts).toList();
        double n = counting.size();
        double meanInUse = counting.stream().mapToDouble(Seen::inUse).sum() / n;
        double meanHeld = counting.stream().mapToDouble(Seen::heldMs).sum() / n;
        double spread = counting.stream()
                .mapToDouble(each -> Math.pow(each.inUse() - meanInUse, 2))
                .sum();
        double both = counting.stream()
                .mapToDouble(each -> (each.inUse() - meanInUse) * (each.heldMs() - meanHeld))
                .sum();
        if (n < 2 || spread == 0 || meanHeld <= 0) {
            return Optional.empty();
        }
        // neither falls with load, nor is it paid back at none
        double slope = Math.clamp(both / spread, 0, meanHeld / meanInUse);
        double arrivals = counting.stream()
                .filter(Seen::servesAll)
                .mapToDouble(Seen::perSecond)
                .max()
                .orElse(Double.POSITIVE_INFINITY);
        return Optional.of(new LoadModel(meanHeld - slope * meanInUse, slope, arrivals));
    }

    /** What a size would give. Where callers wait for each other, the response is told by its inverse: their number is not known. */
    Seen at(int size) {
        double fullMs = baseMs + slopeMs * size;
        double most = 1e3 * size / fullMs;
        if (arrivals >= most) {
            double responseMs = 1e6 / most;
            return seen(size, most, responseMs, responseMs - fullMs);
        }
        double inUse = arrivals * baseMs / (1e3 - arrivals * slopeMs);
        double heldMs = baseMs + slopeMs * inUse;
        double load = Math.min(inUse / size, MOST_LOAD);
        double waitMs = heldMs * Math.pow(load, Math.sqrt(2.0 * (size + 1)) - 1) / (size * (1 - load));
        return seen(size, arrivals, heldMs + waitMs, waitMs);
    }

    private static Seen seen(int size, double perSecond, double responseMs, double waitMs) {
        return new Seen(size, Long.MAX_VALUE, perSecond, 0, responseMs, waitMs, 1, "");
    }
}
