/**
 * The demo's three applications, each with its own schema in one database: an auction site (many short transactions), a
 * bank (a bottleneck on one row) and a picture gallery (few large results).
 */
package dev.headgate.lab.demo;
