/**
 * The reasons that are told, held against what they tell of: made-up worlds, all shipping policies, and a reader that believes no
 * sentence. It stands in this module because policies' tests know the simulator: a test that knows both cannot stand beside either.
 */
package dev.headgate.lab.reasons;
