/**
 * The control store: the data folder, the PostgreSQL database that keeps every stored fact, its schema, and the key that
 * keeps secrets in it. Features reach it through Spring's {@code JdbcClient}.
 */
@NullMarked
package dev.headgate.server.store;

import org.jspecify.annotations.NullMarked;
