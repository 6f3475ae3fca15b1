/**
 * The wire port as the service has it: opens and closes it, tells it of domains and their clients, and keeps what proves
 * those clients' passwords. The protocol itself is in {@code dev.headgate.wire}.
 */
@NullMarked
package dev.headgate.server.wire;

import org.jspecify.annotations.NullMarked;
