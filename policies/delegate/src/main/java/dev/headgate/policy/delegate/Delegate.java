package dev.headgate.policy.delegate;

import dev.headgate.spi.Limits;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PoolView;
import dev.headgate.spi.WhenExhausted;
import dev.headgate.spi.Window;

/**
 * Hands the decision over a request that cannot be served to the door it comes by. While the pool is exhausted beyond what
 * the operator finds bearable, it answers {@code reject}: HTTP says 503 with Retry-After and the wire port SQLSTATE 53300,
 * before a statement is read, a transaction begun or a place in the queue taken. Otherwise requests queue.
 *
 * <p>It has two states and hysteresis between them:
 *
 * <pre>
 *   queueing   -> rejecting   as many wait as {@code waiting} says, and the oldest has waited {@code waitMs}
 *   rejecting  -> queueing    for {@code calmMs} so few came that nine tenths of the pool would have served them
 * </pre>
 *
 * Both conditions must hold on the way in: a long queue that moves fast, or one slow statement with nobody behind it, is
 * no reason to turn anyone away. On the way out the queue says nothing, since nobody waits while requests are refused, and
 * refusals say little: without a queue a pool at four fifths of its load still turns one in ten away (Erlang's loss
 * formula). So the load that was offered is counted: connections in use, times what came over what was served. While the
 * flood lasts the doors stay shut to what does not fit, and the pool goes on serving those who find a connection free.
 *
 * <p>Those who wait at the moment of the change are refused with it: they are the ones who have waited too long.
 */
final class Delegate implements Policy {

    private static final WhenExhausted REJECT =
            new WhenExhausted(WhenExhausted.Mode.REJECT, Long.MAX_VALUE, Integer.MAX_VALUE);

    /** A pool that the offered load would fill so far, and no further, can let requests wait again. */
    private static final double CALM = 0.9;

    private final int waiting;
    private final long waitNanos;
    private final long calmNanos;
    private final Limits queueing;

    private boolean rejecting;
    private Limits answer;

    // since the last look at the load that is offered
    private boolean ended;
    private long nanos;
    private long arrivals;
    private long leases;
    private double inUse;
    private int looks;

    Delegate(int waiting, long waitNanos, long calmNanos) {
        this.waiting = waiting;
        this.waitNanos = waitNanos;
        this.calmNanos = calmNanos;
        this.queueing = Limits.unbounded()
                .because("Requests may wait until %d of them %s, the oldest for %d ms."
                        .formatted(waiting, waiting == 1 ? "does" : "do", waitNanos / 1_000_000));
        this.answer = queueing;
    }

    @Override
    public void observe(Window window) {
        ended = true;
        nanos += window.lengthNanos();
        arrivals += window.arrivals();
        leases += window.leases();
    }

    @Override
    public Limits limits(PoolView pool) {
        if (ended) {
            // once per window: the steps in between come when the pool is full, and would show it fuller than it is
            ended = false;
            inUse += pool.inUse();
            looks++;
        }
        if (rejecting) {
            if (nanos >= calmNanos) {
                boolean calm = arrivals == 0 || inUse / looks * arrivals <= CALM * pool.size() * leases;
                clear();
                if (calm) {
                    rejecting = false;
                    answer = queueing;
                }
            }
        } else if (pool.waiting() >= waiting && pool.longestWaitNanos() >= waitNanos) {
            rejecting = true;
            clear();
            answer = Limits.unbounded()
                    .withWhenExhausted(REJECT)
                    .because("%d %s waited, the oldest for %d ms: more are turned away at the door until fewer come."
                            .formatted(
                                    pool.waiting(),
                                    pool.waiting() == 1 ? "request" : "requests",
                                    pool.longestWaitNanos() / 1_000_000));
        }
        return answer;
    }

    private void clear() {
        nanos = 0;
        arrivals = 0;
        leases = 0;
        inUse = 0;
        looks = 0;
    }
}
