package dev.headgate.lab;

/**
 * How a workload's arrivals come until someone changes it.
 *
 * @param ratePerSecond on average, {@value Workload#MIN_RATE}..{@value Workload#MAX_RATE}
 * @param varies whether the rate rises and falls over minutes
 */
public record Pace(double ratePerSecond, boolean varies) {}
