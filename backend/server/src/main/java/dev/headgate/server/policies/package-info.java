/**
 * The policy sets of domains and databases: their revisions, their checks, and how a new one is put in force. A set is
 * checked as a whole and every fault is told at once; it is kept and put in force together, or neither. {@link
 * dev.headgate.server.policies.Policies} is the service; {@link dev.headgate.server.policies.ManagedSets} is for those who own sets,
 * such as policy files.
 */
@NullMarked
package dev.headgate.server.policies;

import org.jspecify.annotations.NullMarked;
