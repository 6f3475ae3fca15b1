package dev.headgate.server.metrics;

import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.server.feed.Feed;
import dev.headgate.server.history.DecisionLog;
import dev.headgate.server.live.StreamCounts;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.stereotype.Component;

/** Metrics of the service itself. */
@Component
class ServiceMetrics implements MeterBinder {

    private final StreamCounts stream;
    private final Feed feed;
    private final DecisionLog decisions;
    private final MemoryAccount memory;

    ServiceMetrics(StreamCounts stream, Feed feed, DecisionLog decisions, MemoryAccount memory) {
        this.memory = memory;
        this.stream = stream;
        this.feed = feed;
        this.decisions = decisions;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Gauge.builder("headgate.stream.clients", stream, StreamCounts::clients)
                .description("Clients of the stream that are connected")
                .register(registry);
        FunctionCounter.builder("headgate.stream.frames", stream, StreamCounts::framesSent)
                .description("Frames sent to clients of the stream")
                .register(registry);
        FunctionCounter.builder("headgate.stream.frames.dropped", stream, StreamCounts::framesMerged)
                .description("Deltas merged into a later one because their client was slow")
                .register(registry);
        FunctionCounter.builder("headgate.stream.closed.slow", stream, StreamCounts::closedTooSlow)
                .description("Clients that were closed because events piled up")
                .register(registry);
        FunctionCounter.builder("headgate.feed.windows.dropped", feed, Feed::dropped)
                .description("Windows that were dropped because the feed fell behind")
                .register(registry);
        Gauge.builder("headgate.memory.reserved", memory, MemoryAccount::reserved)
                .baseUnit("bytes")
                .description("Memory that is held because of what callers sent: statements, messages that are gathered")
                .register(registry);
        Gauge.builder("headgate.memory.most", memory, MemoryAccount::most)
                .baseUnit("bytes")
                .description("As much of it as may be held")
                .register(registry);
        FunctionCounter.builder("headgate.memory.refused", memory, MemoryAccount::refused)
                .description("Requests for such memory that did not fit")
                .register(registry);
        FunctionCounter.builder("headgate.decisions.lost", decisions, DecisionLog::lost)
                .description(
                        "Decisions that were not stored: the control store was unreachable for too long, or refused them")
                .register(registry);
    }
}
