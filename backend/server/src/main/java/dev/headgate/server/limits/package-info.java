/**
 * What one request may cost, whoever sends it: each limit is checked in one place, before a feature sees the request, and
 * each refusal is a problem that says the limit.
 */
@NullMarked
package dev.headgate.server.limits;

import org.jspecify.annotations.NullMarked;
