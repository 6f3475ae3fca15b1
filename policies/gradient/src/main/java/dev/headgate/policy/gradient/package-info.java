/** The policy that follows the gradient of latency, bounded against the ways in which such policies are known to fail. */
package dev.headgate.policy.gradient;
