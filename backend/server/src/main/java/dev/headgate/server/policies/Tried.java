package dev.headgate.server.policies;

import dev.headgate.spi.Limits;

/** One policy's answer in a trial, and where the policy stands in the set. */
record Tried(int index, String plugin, Trial trial) {

    Limits limits() {
        return trial.limits();
    }
}
