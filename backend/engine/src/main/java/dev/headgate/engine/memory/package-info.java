/** The account of memory whose size somebody outside decides. */
@org.jspecify.annotations.NullMarked
package dev.headgate.engine.memory;
