/**
 * What the author of a policy tests with: virtual time, a simulated database with its pools, and the contract that
 * every policy keeps.
 *
 * <p>Nothing here reads the machine's clock or starts a thread, and all chance comes from a seed: a run can be repeated
 * to the nanosecond from its seed alone.
 */
package dev.headgate.testkit;
