/**
 * Limits for the cost of a request. Each limit is checked in one place, before a feature gets the request. Each refusal is a
 * problem that names the limit. {@link dev.headgate.server.limits.Counts} bounds what lives longer than a request.
 */
@NullMarked
package dev.headgate.server.limits;

import org.jspecify.annotations.NullMarked;
