package dev.headgate.server.feed;

import dev.headgate.engine.EngineListener;
import dev.headgate.engine.Pool;
import dev.headgate.engine.governor.Decision;
import dev.headgate.spi.Window;
import java.time.Instant;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.springframework.stereotype.Component;

/**
 * The engine's listener. Puts each event into a lock-free queue and returns. If the reader falls behind by {@link #CAPACITY}
 * windows, further windows are dropped and counted. Decisions are few and are never dropped.
 */
@Component
public class Feed implements EngineListener {

    /** Windows that may wait: at ten a second, about a minute and a half of 50 pools. */
    static final int CAPACITY = 50_000;

    private final ConcurrentLinkedQueue<Consumer<Listener>> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger windows = new AtomicInteger();
    private final LongAdder dropped = new LongAdder();

    @Override
    public void window(Pool pool, Instant end, Window window) {
        if (windows.get() >= CAPACITY) {
            dropped.increment();
            return;
        }
        windows.incrementAndGet();
        queue.add(listener -> listener.window(pool, end, window));
    }

    @Override
    public void decided(Decision decision) {
        queue.add(listener -> listener.decided(decision));
    }

    @Override
    public void fault(String database, Throwable fault) {
        queue.add(listener -> listener.fault(database, fault));
    }

    /** Windows that were dropped since the start. */
    public long dropped() {
        return dropped.sum();
    }

    /** Hands everything that has come so far to {@code each}; called by the feed's thread alone. */
    void drain(Consumer<Consumer<Listener>> each) {
        windows.set(0);
        for (Consumer<Listener> told = queue.poll(); told != null; told = queue.poll()) {
            each.accept(told);
        }
    }
}
