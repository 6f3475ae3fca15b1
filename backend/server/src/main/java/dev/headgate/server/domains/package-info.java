/**
 * The domains: one application's share each, with its pool.
 */
@NullMarked
package dev.headgate.server.domains;

import org.jspecify.annotations.NullMarked;
