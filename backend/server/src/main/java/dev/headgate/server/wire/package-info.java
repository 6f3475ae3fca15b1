/**
 * The wire port within the service: opens and closes it, provides it with domains and clients, and stores the verifiers of the
 * clients' passwords. The protocol itself is in {@code dev.headgate.wire}.
 */
@NullMarked
package dev.headgate.server.wire;

import org.jspecify.annotations.NullMarked;
