/**
 * SQL over HTTP: statements in a request, rows in its answer as they arrive from the database. The statements run in sessions of
 * {@code dev.headgate.sql}; this package reads requests and writes answers.
 */
@NullMarked
package dev.headgate.server.sql;

import org.jspecify.annotations.NullMarked;
