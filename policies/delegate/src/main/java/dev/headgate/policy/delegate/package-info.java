/** The policy that lets the doors turn requests away before any work is begun for them. */
package dev.headgate.policy.delegate;
