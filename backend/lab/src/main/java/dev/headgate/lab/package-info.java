/**
 * Loads for Headgate's pools, for the demo and for experiments.
 *
 * <p>A {@link dev.headgate.lab.Workload} is open-loop. Arrivals come at times drawn in advance ({@link
 * dev.headgate.lab.pacing}), whether or not earlier ones are done, and each is timed from its <em>scheduled</em> arrival.
 * So a slow database shows as latency and does not slow the load down (coordinated omission). A {@link
 * dev.headgate.lab.Load} decides what an arrival does: the demo's three applications are in {@link dev.headgate.lab.demo}, users
 * bring their own as scripts ({@link dev.headgate.lab.script}).
 *
 * <p>Knows the engine's {@code Pool} and nothing of Spring. Clock, threads and randomness are handed in.
 */
package dev.headgate.lab;
