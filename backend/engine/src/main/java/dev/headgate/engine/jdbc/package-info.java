/**
 * What JDBC callers hold while they lease a connection: objects of ours before HikariCP's, which know when the lease ends.
 * The way in is {@link dev.headgate.engine.jdbc.LeasedConnection}.
 */
package dev.headgate.engine.jdbc;
