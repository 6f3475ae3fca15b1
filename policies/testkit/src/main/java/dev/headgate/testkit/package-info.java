/**
 * What every policy is tested with: the contract that it keeps ({@link dev.headgate.testkit.PolicyContract}), and a small
 * world of views to show it. It needs the SPI alone; whole pools in virtual time are in the simulator.
 *
 * <p>Nothing here reads the machine's clock or starts a thread, and all chance comes from a seed.
 */
package dev.headgate.testkit;
