/**
 * The commands of {@code ./headgate} that talk to a running service or write files. They need no other module of Headgate,
 * because the service decides what they send and show. Each command runs on one thread and returns its exit code.
 */
@org.jspecify.annotations.NullMarked
package dev.headgate.cli;
