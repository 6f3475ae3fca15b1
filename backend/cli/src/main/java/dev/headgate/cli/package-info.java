/**
 * The commands of {@code ./headgate} that talk to a running service or write files, and need nothing else of Headgate: what
 * they send and show is decided by the service. Each runs on one thread, and ends with the exit code that it returns.
 */
@org.jspecify.annotations.NullMarked
package dev.headgate.cli;
