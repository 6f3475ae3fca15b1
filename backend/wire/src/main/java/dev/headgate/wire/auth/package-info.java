/** How a client of the wire port proves who it is. */
@NullMarked
package dev.headgate.wire.auth;

import org.jspecify.annotations.NullMarked;
