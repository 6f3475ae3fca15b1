/** Threads that fetch a connection, give it back, and fetch the next: Hanik's measurement of pools, with Headgate among them. */
@NullMarked
package dev.headgate.lab.pools;

import org.jspecify.annotations.NullMarked;
