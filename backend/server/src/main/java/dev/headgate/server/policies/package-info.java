/**
 * The policy sets of domains and databases: their revisions, their checks, and how a new one is put in force. A set is
 * checked as a whole and every fault is told at once; it is kept and put in force together, or neither.
 */
@NullMarked
package dev.headgate.server.policies;

import org.jspecify.annotations.NullMarked;
