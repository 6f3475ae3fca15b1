/** Measures each physical connection at its socket. */
package dev.headgate.engine.meter;
