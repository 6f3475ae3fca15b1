/**
 * SQL for programs without a socket: statements go in, rows come out, as they arrive.
 *
 * <p>A {@link dev.headgate.sql.SqlSession} is a client of the wire port's relay that lives in this process. It speaks the
 * PostgreSQL protocol with a {@link dev.headgate.wire.Relay} as a driver does with the wire port, without a socket between
 * them. So its statements pass the same gate, budget and meter, and what the relay does for clients holds for it: settings,
 * shared prepared statements, resets, cancels, isolation of callers. Knows neither Spring nor HTTP.
 */
@NullMarked
package dev.headgate.sql;

import org.jspecify.annotations.NullMarked;
