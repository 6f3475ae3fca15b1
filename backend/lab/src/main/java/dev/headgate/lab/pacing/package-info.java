/**
 * Arrival times: a Poisson process whose rate may rise and fall over minutes. Times are absolute and drawn in advance, so
 * what happens to one arrival does not move the next.
 */
package dev.headgate.lab.pacing;
