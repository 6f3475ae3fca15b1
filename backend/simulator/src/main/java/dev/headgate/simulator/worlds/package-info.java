/**
 * Worlds to judge a policy in, made up from seeds: how long requests take on real systems, and how that changes while a pool
 * runs. The same kind and seed give the same world and the same run.
 */
package dev.headgate.simulator.worlds;
