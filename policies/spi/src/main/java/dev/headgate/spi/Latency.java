package dev.headgate.spi;

/**
 * A distribution of durations, immutable. Percentiles of several distributions are never averaged: {@link #plus} merges
 * the distributions themselves. Values are recorded with two significant digits (an error of at most 1 %).
 */
public interface Latency {

    /** How many durations; where it is 0 every other figure is 0 too. */
    long count();

    double meanNanos();

    long minNanos();

    long maxNanos();

    /** The duration that the given share of all durations does not exceed; {@code percentile} in 0..100. */
    long percentileNanos(double percentile);

    /** Both distributions as one. */
    Latency plus(Latency other);
}
