package dev.headgate.server.feed;

import java.time.Clock;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/** Takes from the {@link Feed}, every 50 ms, and tells the listeners. */
@Component
public class FeedThread implements SmartLifecycle {

    /** The time between two turns. */
    public static final long PERIOD_MILLIS = 50;

    private static final Logger LOG = LoggerFactory.getLogger(FeedThread.class);

    private final Feed feed;
    private final List<Listener> listeners;
    private final Clock clock;
    private long turn;
    private @Nullable ScheduledExecutorService thread;

    FeedThread(Feed feed, List<Listener> listeners, Clock clock) {
        this.feed = feed;
        this.listeners = List.copyOf(listeners);
        this.clock = clock;
    }

    /** One turn: everything that has come, then the turn itself. Called by the thread, and by tests in its place. */
    public void turn() {
        feed.drain(this::tell);
        long number = ++turn;
        tell(listener -> listener.turn(number, clock.instant()));
    }

    private void tell(Consumer<Listener> what) {
        for (Listener listener : listeners) {
            try {
                what.accept(listener);
            } catch (RuntimeException e) {
                LOG.error(
                        "{} failed on what the engine told it",
                        listener.getClass().getSimpleName(),
                        e);
            }
        }
    }

    @Override
    public synchronized void start() {
        if (thread == null) {
            thread = Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().name("headgate-feed").daemon().factory());
            var _ = thread.scheduleAtFixedRate(this::turn, PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    @Override
    public synchronized void stop() {
        if (thread != null) {
            thread.shutdownNow();
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
