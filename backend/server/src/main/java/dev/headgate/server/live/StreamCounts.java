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

    /** Clients that are connected now. */
    public int clients() {
        return clients.get();
    }

    /** Frames that were sent. */
    public long framesSent() {
        return frames.sum();
    }

    /** Deltas that a client was too slow to get by themselves, so that they went out as part of a later one. */
    public long framesMerged() {
        return merged.sum();
    }

    /** Clients that were closed because events piled up. */
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
