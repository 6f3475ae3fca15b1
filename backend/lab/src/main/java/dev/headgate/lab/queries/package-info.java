/** The experiments of M. Heath on asynchronous drivers (ADBCJ, BYU): many queries of one caller, in several ways. */
@NullMarked
package dev.headgate.lab.queries;

import org.jspecify.annotations.NullMarked;
