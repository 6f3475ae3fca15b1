package dev.headgate.simulator;

import dev.headgate.engine.time.VirtualTime;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/** A {@link Load}: open-loop arrivals without a memory, each doing its {@link Work} on the simulated server. */
final class PoissonDemand implements Demand {

    private final VirtualTime time;
    private final OnServer onServer;
    private final Load load;
    private final SplittableRandom random;

    PoissonDemand(VirtualTime time, SimulatedServer server, Load load, SplittableRandom random) {
        this.time = time;
        this.onServer = new OnServer(time, server);
        this.load = load;
        this.random = random;
    }

    @Override
    public void begin(Consumer<Task> ask) {
        Arrivals.begin(time, load, random, work -> ask.accept(lease -> onServer.begin(lease, work)));
    }
}
