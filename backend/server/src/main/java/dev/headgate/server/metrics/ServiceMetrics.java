package dev.headgate.server.metrics;

import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.server.feed.Feed;
import dev.headgate.server.history.DecisionLog;
import dev.headgate.server.live.StreamCounts;
import dev.headgate.server.store.ControlStore;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.ToLongFunction;
import org.springframework.stereotype.Component;

/** Metrics of the service itself. */
@Component
class ServiceMetrics implements MeterBinder {

    private final StreamCounts stream;
    private final Feed feed;
    private final DecisionLog decisions;
    private final MemoryAccount memory;
    private final ControlStore store;

    ServiceMetrics(StreamCounts stream, Feed feed, DecisionLog decisions, MemoryAccount memory, ControlStore store) {
        this.memory = memory;
        this.store = store;
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
        Gauge.builder("headgate.memory.account", memory, MemoryAccount::most)
                .baseUnit("bytes")
                .description("As much memory as may be held because of what callers ask for")
                .register(registry);
        Gauge.builder("headgate.store.available", store, each -> each.away().isPresent() ? 0 : 1)
                .description("1 if the control store can be reached, 0 if not")
                .register(registry);
        memory.lines().forEach(line -> bindTo(registry, line.holder()));
        FunctionCounter.builder("headgate.decisions.lost", decisions, DecisionLog::lost)
                .description(
                        "Decisions that were not stored: the control store was unreachable for too long, or refused them")
                .register(registry);
    }

    private void bindTo(MeterRegistry registry, String holder) {
        gauge(registry, "reserved", holder, MemoryAccount.Line::reserved, "Memory that is held now");
        gauge(registry, "highest", holder, MemoryAccount.Line::highest, "The most that was ever held");
        gauge(registry, "most", holder, MemoryAccount.Line::most, "As much as may be held");
        FunctionCounter.builder(
                        "headgate.memory.refused",
                        memory,
                        account -> line(account, holder).refused())
                .tag("holder", holder)
                .description("Requests for memory that did not fit")
                .register(registry);
    }

    private void gauge(
            MeterRegistry registry,
            String name,
            String holder,
            ToLongFunction<MemoryAccount.Line> figure,
            String description) {
        Gauge.builder("headgate.memory." + name, memory, account -> figure.applyAsLong(line(account, holder)))
                .tag("holder", holder)
                .baseUnit("bytes")
                .description(description)
                .register(registry);
    }

    private static MemoryAccount.Line line(MemoryAccount account, String holder) {
        return account.lines().stream()
                .filter(line -> line.holder().equals(holder))
                .findFirst()
                .orElseThrow();
    }
}
