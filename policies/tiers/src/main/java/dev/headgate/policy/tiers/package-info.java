/** The policy that tells a shared database's allocator what one domain is owed. */
package dev.headgate.policy.tiers;
