/** The data side of a pool: every lease passes the gate, and all waiting happens here and nowhere else. */
package dev.headgate.engine.gate;
