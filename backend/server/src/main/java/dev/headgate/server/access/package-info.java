/**
 * Who is asking, and whether they may: the administrator's token, browser sessions, hosts and origins.
 */
@NullMarked
package dev.headgate.server.access;

import org.jspecify.annotations.NullMarked;
