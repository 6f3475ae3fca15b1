/** The limits of Netflix as policies, the options of the bench, and which policy sets end a retry storm. */
package dev.headgate.bench.worlds;
