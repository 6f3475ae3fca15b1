/**
 * When arrivals come: Poisson, at a rate that may rise and fall over minutes. Drawn ahead of time in absolute times, so
 * that nothing that happens to one arrival moves the next.
 */
package dev.headgate.lab.pacing;
