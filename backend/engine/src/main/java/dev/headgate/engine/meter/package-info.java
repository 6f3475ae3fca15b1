/** What happens on each physical connection, measured at its socket. */
package dev.headgate.engine.meter;
