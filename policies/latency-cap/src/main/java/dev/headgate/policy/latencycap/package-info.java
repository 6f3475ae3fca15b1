/**
 * The policy that finds the right size by itself: it learns how latency depends on the number of connections and keeps
 * the pool as large as a cap on latency allows.
 *
 * <p>{@link dev.headgate.policy.latencycap.LatencyCap} is the policy, and opens with an essay on how it decides. Its parts:
 *
 * <ul>
 *   <li>What was measured: {@code Evidence} sums windows until they say something, {@code Sample} reads a distribution, {@code Measured}
 *       keeps the last second.
 *   <li>What is believed: {@code LatencyModel} and {@code Tail} learn, {@code Forecast} joins them, {@code Prediction} holds that
 *       against the cap.
 *   <li>What is decided: {@code Growth} and {@code Shrinking} change the {@code Ceiling}, {@code Trials} says when to try again.
 *   <li>What is said: {@code Reasons} are the sentences, {@code Wording} writes their figures.
 * </ul>
 */
package dev.headgate.policy.latencycap;
