/**
 * A whole service, started by {@code ./headgate up}, beside peers or beside itself with another setting: its wire port beside
 * PgBouncer, SQL over HTTP beside psql, pgbench, JDBC and Vert.x's client. The service, PostgreSQL and PgBouncer are separate
 * processes.
 */
package dev.headgate.bench.wire;
