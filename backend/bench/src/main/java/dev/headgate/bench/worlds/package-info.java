/** Policies in made-up worlds, in virtual time: latency-cap beside the best fixed size and the limits of Netflix. */
package dev.headgate.bench.worlds;
