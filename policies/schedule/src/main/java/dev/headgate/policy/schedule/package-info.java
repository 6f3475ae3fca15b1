/** The policy that holds a pool between other bounds by the time of day and the day of the week. */
package dev.headgate.policy.schedule;
