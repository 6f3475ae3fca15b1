package dev.headgate.simulator;

import dev.headgate.engine.time.VirtualTime;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/** {@link Callers} in virtual time. */
final class CallersDemand implements Demand {

    private static final long SHORTEST_PAUSE_NANOS =
            Duration.ofMillis(Callers.SHORTEST_PAUSE_MILLIS).toNanos();

    private final VirtualTime time;
    private final OnServer onServer;
    private final Callers callers;
    private final SplittableRandom random;

    CallersDemand(VirtualTime time, SimulatedServer server, Callers callers, SplittableRandom random) {
        this.time = time;
        this.onServer = new OnServer(time, server);
        this.callers = callers;
        this.random = random;
    }

    @Override
    public void begin(Consumer<Task> ask) {
        for (int i = 0; i < callers.count(); i++) {
            time.after(pause(), () -> ask(ask));
        }
    }

    private void ask(Consumer<Task> ask) {
        ask.accept(new Task() {
            @Override
            public void begin(Lease lease) {
                onServer.begin(lease, callers.work(), () -> time.after(pause(), () -> ask(ask)));
            }

            @Override
            public void refused() {
                time.after(Math.max(SHORTEST_PAUSE_NANOS, pause()), () -> ask(ask));
            }
        });
    }

    private long pause() {
        return callers.think().isZero()
                ? 0
                : (long) (-Math.log(1 - random.nextDouble()) * callers.think().toNanos());
    }
}
