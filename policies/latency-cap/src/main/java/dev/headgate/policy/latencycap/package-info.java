/**
 * The policy that finds the right size by itself: it learns how latency depends on the number of connections and keeps
 * the pool as large as a cap on latency allows.
 *
 * <p>{@link dev.headgate.policy.latencycap.LatencyCap} decides, {@code LatencyModel} predicts, {@code Evidence} sums
 * windows until they say something, {@code Wording} puts it into words.
 */
package dev.headgate.policy.latencycap;
