/**
 * What the engine tells, taken off the governors' threads: one queue that never blocks a governor, and one thread on which
 * everything that listens runs in turn, so that no listener needs a lock against another call of its own.
 */
@NullMarked
package dev.headgate.server.feed;

import org.jspecify.annotations.NullMarked;
