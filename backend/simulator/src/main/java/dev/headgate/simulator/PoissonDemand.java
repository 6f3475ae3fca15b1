package dev.headgate.simulator;

import dev.headgate.engine.time.VirtualTime;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/** A {@link Load}: open-loop arrivals without a memory, each doing its {@link Work} on the simulated server. */
final class PoissonDemand implements Demand {

    private final VirtualTime time;
    private final SimulatedServer server;
    private final Load load;
    private final SplittableRandom random;

    PoissonDemand(VirtualTime time, SimulatedServer server, Load load, SplittableRandom random) {
        this.time = time;
        this.server = server;
        this.load = load;
        this.random = random;
    }

    @Override
    public void begin(Consumer<Task> ask) {
        long now = time.sinceStartNanos();
        double perSecond = load.perSecondAt(now);
        long change = load.nextChange(now);
        long gap = perSecond > 0 ? (long) (-Math.log(1 - random.nextDouble()) / perSecond * 1e9) : Long.MAX_VALUE;
        if (change - now <= gap) {
            // the process has no memory: draw anew at the new rate
            if (change != Long.MAX_VALUE) {
                time.after(change - now, () -> begin(ask));
            }
            return;
        }
        time.after(gap, () -> {
            Work work = load.workAt(time.sinceStartNanos());
            ask.accept(lease -> request(lease, work, work.requests()));
            begin(ask);
        });
    }

    private void request(Lease lease, Work work, int left) {
        boolean fails = server.fails(time.sinceStartNanos());
        long nanos = server.begin(time.sinceStartNanos(), work.heaviness());
        lease.request(nanos, fails, () -> {
            server.end();
            if (left > 1 && !fails) {
                time.after(work.think().toNanos(), () -> request(lease, work, left - 1));
            } else {
                lease.giveBack();
            }
        });
    }
}
