package dev.headgate.lab;

/**
 * The rate and the tide that a workload starts with.
 *
 * @param ratePerSecond on average, {@value Workload#MIN_RATE}..{@value Workload#MAX_RATE}
 * @param varies whether the rate rises and falls over minutes
 */
public record Pace(double ratePerSecond, boolean varies) {}
