/**
 * The wire port of a whole service, started by {@code ./headgate up}, beside PgBouncer or beside itself with another
 * setting. Everything is a process of its own: the service, PostgreSQL, PgBouncer and the clients ({@code pgbench},
 * {@code psql}).
 */
package dev.headgate.bench.wire;
