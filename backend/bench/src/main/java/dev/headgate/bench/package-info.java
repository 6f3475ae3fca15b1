/** Benchmarks beside a peer in the same run, started by {@code ./headgate bench NAME}. They print and assert nothing. */
package dev.headgate.bench;
