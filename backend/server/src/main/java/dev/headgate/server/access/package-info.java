/**
 * Authentication and authorization: the administrator's token, browser sessions, allowed hosts and origins.
 */
@NullMarked
package dev.headgate.server.access;

import org.jspecify.annotations.NullMarked;
