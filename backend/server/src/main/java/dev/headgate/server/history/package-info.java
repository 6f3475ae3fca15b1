/**
 * The past: the last hour of each domain in memory ({@link dev.headgate.server.history.History}), a month of it in the control
 * store ({@link dev.headgate.server.history.Archive}), and the decision log there
 * ({@link dev.headgate.server.history.DecisionLog}).
 */
@NullMarked
package dev.headgate.server.history;

import org.jspecify.annotations.NullMarked;
