/** The clock and the timer of the engine. */
package dev.headgate.engine.time;
