/**
 * The policy that every pool begins with: a minimum, a maximum and an idle timeout, as the JDBC 3.0 specification names
 * them for pooled connections.
 */
package dev.headgate.policy.minmax;
