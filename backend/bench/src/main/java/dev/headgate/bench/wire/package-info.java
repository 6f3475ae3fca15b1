/**
 * The wire port of a whole service, started by {@code ./headgate up}, beside PgBouncer or beside itself with another
 * setting. The service, PostgreSQL, PgBouncer and the clients ({@code pgbench}, {@code psql}) are separate processes.
 */
package dev.headgate.bench.wire;
