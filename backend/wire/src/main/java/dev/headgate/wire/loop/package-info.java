/**
 * The loops: platform threads that each wait for many sockets, and the clients' sockets that they wait for. Knows no
 * sessions.
 */
@NullMarked
package dev.headgate.wire.loop;

import org.jspecify.annotations.NullMarked;
