/** Accounts for memory whose size is decided from outside the process. */
@org.jspecify.annotations.NullMarked
package dev.headgate.engine.memory;
