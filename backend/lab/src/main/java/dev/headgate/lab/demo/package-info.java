/**
 * The demo's three applications, one schema each in one database: an auction site, a bank, a picture gallery. Few
 * enough to read, different enough for policies to tell apart: many short transactions, a bottleneck on one row, few
 * large results.
 */
package dev.headgate.lab.demo;
