/** Measurements beside a peer in the same run. Started by {@code ./headgate bench NAME}; prints, asserts nothing. */
package dev.headgate.bench;
