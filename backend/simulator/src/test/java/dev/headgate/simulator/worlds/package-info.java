/** Worlds are the same for the same seed. */
package dev.headgate.simulator.worlds;
