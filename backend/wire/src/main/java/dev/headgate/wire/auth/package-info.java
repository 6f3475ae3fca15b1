/** Authentication of the wire port's clients. */
@NullMarked
package dev.headgate.wire.auth;

import org.jspecify.annotations.NullMarked;
