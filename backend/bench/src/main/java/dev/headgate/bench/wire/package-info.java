/**
 * A whole service, started by {@code ./headgate up}, beside peers or beside itself with another setting: its wire port beside
 * PgBouncer and pg_doorman, SQL over HTTP beside psql, pgbench, JDBC and Vert.x's client. The service, PostgreSQL and the
 * poolers are separate processes.
 */
package dev.headgate.bench.wire;
