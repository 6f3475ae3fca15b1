/**
 * The domains. Each is one application's share of Headgate and owns one pool.
 */
@NullMarked
package dev.headgate.server.domains;

import org.jspecify.annotations.NullMarked;
