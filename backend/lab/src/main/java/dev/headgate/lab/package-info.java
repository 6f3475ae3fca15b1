/**
 * Loads for Headgate's pools: what the demo runs on, and what experiments are made of.
 *
 * <p>A {@link dev.headgate.lab.Workload} is open-loop. Its arrivals come when they come, at times drawn in advance
 * ({@link dev.headgate.lab.pacing}), whether or not earlier ones are done; each is timed from its <em>scheduled</em>
 * arrival. A slow database therefore shows as latency, never as a load that politely slows down with it (coordinated
 * omission). What an arrival does is an {@link dev.headgate.lab.Application}'s choice; the demo's three are in
 * {@link dev.headgate.lab.demo}.
 *
 * <p>Knows the engine's {@code Pool} and nothing of Spring. Clock, threads and randomness are handed in.
 */
package dev.headgate.lab;
