package dev.headgate.simulator;

import dev.headgate.engine.time.VirtualTime;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/** The arrivals of a {@link Load}: a Poisson process whose rate changes. */
final class Arrivals {

    private Arrivals() {}

    /** @param each called at every arrival, with its work */
    static void begin(VirtualTime time, Load load, SplittableRandom random, Consumer<Work> each) {
        long now = time.sinceStartNanos();
        double perSecond = load.perSecondAt(now);
        long change = load.nextChange(now);
        long gap = perSecond > 0 ? (long) (-Math.log(1 - random.nextDouble()) / perSecond * 1e9) : Long.MAX_VALUE;
        if (change - now <= gap) {
            // the process has no memory: draw anew at the new rate
            if (change != Long.MAX_VALUE) {
                time.after(change - now, () -> begin(time, load, random, each));
            }
            return;
        }
        time.after(gap, () -> {
            each.accept(load.workAt(time.sinceStartNanos()));
            begin(time, load, random, each);
        });
    }
}
