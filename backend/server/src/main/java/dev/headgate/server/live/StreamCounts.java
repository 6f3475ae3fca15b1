package dev.headgate.server.live;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.springframework.stereotype.Component;

/** The stream's figures for the metrics. Safe for several threads. */
@Component
public class StreamCounts {

    private final AtomicInteger clients = new AtomicInteger();
    private final LongAdder frames = new LongAdder();
    private final LongAdder merged = new LongAdder();
    private final LongAdder tooSlow = new LongAdder();

    /** The number of connected clients. */
    public int clients() {
        return clients.get();
    }

    /** The number of sent frames. */
    public long framesSent() {
        return frames.sum();
    }

    /** The number of deltas that were merged into a later one because the client was slow. */
    public long framesMerged() {
        return merged.sum();
    }

    /** The number of clients that were closed because too many events waited. */
    public long closedTooSlow() {
        return tooSlow.sum();
    }

    void connected() {
        clients.incrementAndGet();
    }

    void disconnected() {
        clients.decrementAndGet();
    }

    void sent() {
        frames.increment();
    }

    void merged() {
        merged.increment();
    }

    void tooSlow() {
        tooSlow.increment();
    }
}
