package dev.headgate.simulator;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * How far single requests stray from the server's mean: by how many times the mean a request takes, 1 on average. The models
 * are those that are seen on real systems.
 */
@FunctionalInterface
public interface Chance {

    /** Draws one request's factor, positive. */
    double next(SplittableRandom random);

    /**
     * Log-normal: the usual form of service times that are products of many small causes (Limpert, Stahel and Abbt, "Log-normal
     * Distributions across the Sciences", 2001).
     *
     * @param variation the coefficient of variation: 0 for none, 1 as widely spread as an exponential distribution
     */
    static Chance logNormal(double variation) {
        double sigma = sigma(variation);
        return random -> Math.exp(sigma * random.nextGaussian() - sigma * sigma / 2);
    }

    /**
     * Two modes, as with a cache that hits or misses, or an index that serves most queries and not all (Dean and Barroso, "The
     * Tail at Scale", 2013): a share of the requests takes {@code slowFactor} times as long as the others. Both modes vary
     * log-normally.
     */
    static Chance bimodal(double slowShare, double slowFactor, double variation) {
        Chance within = logNormal(variation);
        double fast = 1 / (1 - slowShare + slowShare * slowFactor);
        return random -> {
            double mode = random.nextDouble() < slowShare ? fast * slowFactor : fast;
            return mode * within.next(random);
        };
    }

    /**
     * Pareto: a tail that falls by a power, as sizes of files and processor times of processes do (Harchol-Balter and Downey,
     * "Exploiting Process Lifetime Distributions for Dynamic Load Balancing", 1997; Crovella and Bestavros, 1997). With an exponent
     * of 2 or less the variance is infinite: means over some hundred requests are mostly too low, and sometimes far too high.
     *
     * @param exponent above 1, where the mean exists
     */
    static Chance pareto(double exponent) {
        double least = (exponent - 1) / exponent;
        return random -> least * Math.pow(1 - random.nextDouble(), -1 / exponent);
    }

    /** What was measured: each draw is one of the durations, in multiples of their mean. */
    static Chance recorded(double... durations) {
        double mean = Arrays.stream(durations).average().orElseThrow();
        double[] factors = Arrays.stream(durations).map(each -> each / mean).toArray();
        return random -> factors[random.nextInt(factors.length)];
    }

    static double sigma(double variation) {
        return Math.sqrt(Math.log(1 + variation * variation));
    }
}
