/**
 * The Headgate service: the only place that wires the parts together. Each sub-package is one feature with at most one
 * public component (history and policies have two, what serves all features has several) and its event records; controllers are
 * package-private.
 */
@NullMarked
package dev.headgate.server;

import org.jspecify.annotations.NullMarked;
