/**
 * The policy sets of domains and databases: their revisions, their checks, and putting a new one in force. A set is checked as
 * a whole, and all faults are reported at once. Storing it and putting it in force succeed or fail together. {@link
 * dev.headgate.server.policies.Policies} is the service; {@link dev.headgate.server.policies.ManagedSets} is for owners of
 * sets, such as policy files.
 */
@NullMarked
package dev.headgate.server.policies;

import org.jspecify.annotations.NullMarked;
