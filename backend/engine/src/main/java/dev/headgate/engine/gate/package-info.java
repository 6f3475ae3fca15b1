/** The data side of a pool. Every lease passes the gate, and all waiting happens here. */
package dev.headgate.engine.gate;
