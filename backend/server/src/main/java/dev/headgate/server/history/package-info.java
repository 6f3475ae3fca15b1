/**
 * The past: the last hour of each domain in memory ({@link dev.headgate.server.history.History}), a month of it in the control
 * store ({@link dev.headgate.server.history.Archive}), and there the decision log
 * ({@link dev.headgate.server.history.DecisionLog}) and what each database's server gave
 * ({@link dev.headgate.server.history.ServerLog}).
 */
@NullMarked
package dev.headgate.server.history;

import org.jspecify.annotations.NullMarked;
