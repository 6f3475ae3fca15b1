/**
 * What the wire port does for a client, as a state machine: messages in, messages out, and what it asks of the world
 * around it. No sockets, no threads, no clock of its own.
 */
@NullMarked
package dev.headgate.wire.session;

import org.jspecify.annotations.NullMarked;
