/**
 * The engine in virtual time: its own gates, governor and allocator over a simulated database, under a load that a test
 * makes up ({@link dev.headgate.simulator.Simulator}) or that was recorded ({@link dev.headgate.simulator.Replay}).
 *
 * <p>Nothing here reads the machine's clock or starts a thread, and all chance comes from a seed: the same seed gives the
 * same run, to the nanosecond.
 */
package dev.headgate.simulator;
