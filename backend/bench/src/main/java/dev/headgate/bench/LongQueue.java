package dev.headgate.bench;

import dev.headgate.engine.gate.Gate;
import dev.headgate.engine.gate.Refusal;
import dev.headgate.engine.gate.Rules;
import dev.headgate.engine.time.VirtualTime;
import dev.headgate.spi.WhenExhausted;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * The cost of leaving a long queue: 10,000 requests behind one that waits longer, each with its own deadline within the
 * same second. Time is virtual, so only the gate and the timer use the processor.
 */
final class LongQueue {

    private static final int WAITERS = 10_000;
    private static final int RUNS = 21;
    private static final String MILLIS = "ms of processor time";

    private LongQueue() {}

    static void measure(Sheet sheet) {
        Sheet.Entry headgate = sheet.entry("10,000 waiters that time out within one second", "Headgate");
        for (int run = -10; run < RUNS; run++) { // the first runs warm up
            double taken = leave();
            if (run >= 0) {
                headgate.add(MILLIS, "%.1f", taken);
            }
        }
        headgate.bar(MILLIS, "less than 50");
    }

    private static double leave() {
        VirtualTime time = new VirtualTime();
        Rules rules = new Rules(Rules.Passage.OPEN, WhenExhausted.queue(60_000, 2 * WAITERS), false);
        Gate gate = new Gate(time, rules, () -> {});
        gate.acquireAsync(Long.MAX_VALUE, NOBODY);
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < WAITERS; i++) {
            gate.acquireAsync(TimeUnit.MICROSECONDS.toNanos(1 + random.nextInt(1_000_000)), NOBODY);
        }
        long before = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        time.runFor(Duration.ofMillis(1_100));
        long taken = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - before;
        if (gate.timedOutTotal() != WAITERS) {
            throw new IllegalStateException(gate.timedOutTotal() + " have left");
        }
        return taken / 1e6;
    }

    private static final Gate.Listener NOBODY = new Gate.Listener() {
        @Override
        public void admitted(long waitedNanos) {}

        @Override
        public void refused(Refusal refusal) {}
    };
}
