package dev.headgate.simulator;

import dev.headgate.engine.time.VirtualTime;
import java.time.Duration;
import java.util.function.Consumer;

/** A {@link Trace} in virtual time, over and over. */
final class TraceDemand implements Demand {

    private final VirtualTime time;
    private final OnServer onServer;
    private final Trace trace;
    private long roundNanos;
    private int next;

    TraceDemand(VirtualTime time, SimulatedServer server, Trace trace) {
        this.time = time;
        this.onServer = new OnServer(time, server);
        this.trace = trace;
    }

    @Override
    public void begin(Consumer<Task> ask) {
        if (next == trace.arrivals().size()) {
            next = 0;
            roundNanos += trace.length().toNanos();
        }
        Trace.Arrival arrival = trace.arrivals().get(next++);
        time.after(Math.max(0, roundNanos + arrival.atNanos() - time.sinceStartNanos()), () -> {
            Work work = new Work(1, Duration.ZERO, arrival.heaviness());
            ask.accept(lease -> onServer.begin(lease, work));
            begin(ask);
        });
    }
}
