/** The policy that lets so many leases through per second, and a burst of them at once. */
package dev.headgate.policy.ratelimit;
