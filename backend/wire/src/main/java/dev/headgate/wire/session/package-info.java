/**
 * A client's session as a state machine: messages in, messages out, and requests to its {@code Surroundings}. No sockets, no
 * threads, no clock of its own.
 */
@NullMarked
package dev.headgate.wire.session;

import org.jspecify.annotations.NullMarked;
