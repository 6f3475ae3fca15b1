/** The PostgreSQL protocol 3, as far as the relay must understand it; knows no sockets. */
@NullMarked
package dev.headgate.wire.protocol;

import org.jspecify.annotations.NullMarked;
