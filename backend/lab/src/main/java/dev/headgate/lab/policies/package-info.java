/** The experiments of M. Jordan (Sun Labs TR-2006-151) on pools that policies manage, and the tiers that the paper aimed at. */
@NullMarked
package dev.headgate.lab.policies;

import org.jspecify.annotations.NullMarked;
