package dev.headgate.engine;

import dev.headgate.engine.meter.ConnectionStatus;
import org.jspecify.annotations.Nullable;

/**
 * A lease at one instant.
 *
 * @param id of this lease alone: the connection's next lease has another
 * @param thread the name of the thread that took it, for code in this process; empty if unknown
 * @param waitedNanos how long its request had waited
 * @param statement the beginning of the text that it executes or has executed last, with its literals; null if there is none
 */
public record LeaseStatus(
        String id,
        ConnectionStatus connection,
        Who who,
        String thread,
        long waitedNanos,
        @Nullable String statement) {}
