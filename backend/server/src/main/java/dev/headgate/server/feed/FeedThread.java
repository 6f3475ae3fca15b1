package dev.headgate.server.feed;

import dev.headgate.engine.supervision.Supervisor;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/** Empties the {@link Feed} every 50 ms and calls the listeners. If a listener throws, it loses only that one call. */
@Component
public class FeedThread implements SmartLifecycle {

    /** The time between two turns. */
    public static final long PERIOD_MILLIS = 50;

    public static final long TURNS_PER_SECOND = 1_000 / PERIOD_MILLIS;

    private static final String TASK = "headgate-feed";

    private final Feed feed;
    private final List<Listener> listeners;
    private final Clock clock;
    private final Supervisor supervisor;
    private long turn;
    private Supervisor.@Nullable Repeated thread;

    FeedThread(Feed feed, List<Listener> listeners, Clock clock, Supervisor supervisor) {
        this.feed = feed;
        this.listeners = List.copyOf(listeners);
        this.clock = clock;
        this.supervisor = supervisor;
    }

    /** One turn: everything that has come, then the turn itself. Called by the thread, and by tests in its place. */
    public void turn() {
        feed.drain(this::tell);
        long number = ++turn;
        tell(listener -> listener.turn(number, clock.instant()));
    }

    private void tell(Consumer<Listener> what) {
        for (Listener listener : listeners) {
            supervisor.run(TASK, () -> what.accept(listener));
        }
    }

    @Override
    public synchronized void start() {
        if (thread == null) {
            thread = supervisor.every(TASK, Thread.ofPlatform().daemon(), Duration.ofMillis(PERIOD_MILLIS), this::turn);
        }
    }

    @Override
    public synchronized void stop() {
        if (thread != null) {
            thread.close();
            thread = null;
            turn();
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return thread != null;
    }

    /** Starts before the engine tells anything, and stops after its last word. */
    @Override
    public int getPhase() {
        return -1;
    }
}
