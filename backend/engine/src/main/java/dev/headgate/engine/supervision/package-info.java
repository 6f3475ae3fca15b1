/** Keeps threads and timers running after a failure, and reports it. */
package dev.headgate.engine.supervision;
