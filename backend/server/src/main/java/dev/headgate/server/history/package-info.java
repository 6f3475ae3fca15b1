/**
 * The recent past: a row per second and domain in memory ({@link dev.headgate.server.history.History}), and the decision
 * log in the control store ({@link dev.headgate.server.history.DecisionLog}).
 */
@NullMarked
package dev.headgate.server.history;

import org.jspecify.annotations.NullMarked;
