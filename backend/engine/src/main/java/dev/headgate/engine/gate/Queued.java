package dev.headgate.engine.gate;

import org.jspecify.annotations.Nullable;

/**
 * A request in the queue of a gate, as an operator sees it.
 *
 * @param id {@link Gate#end} takes it
 * @param position from 1, the head
 * @param by who asks
 * @param thread the one that is blocked; null for a request that blocks none
 * @param leftNanos until its deadline
 */
public record Queued(
        WaiterId id, int position, Object by, @Nullable Thread thread, long waitedNanos, long leftNanos) {}
