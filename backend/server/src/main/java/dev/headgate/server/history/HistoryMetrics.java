package dev.headgate.server.history;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.stereotype.Component;

/** Metrics of the history in the control store. */
@Component
class HistoryMetrics implements MeterBinder {

    private final Archive archive;
    private final ConnectionHistory connections;
    private final Retention retention;

    HistoryMetrics(Archive archive, ConnectionHistory connections, Retention retention) {
        this.archive = archive;
        this.connections = connections;
        this.retention = retention;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        FunctionCounter.builder("headgate.history.lost.seconds", archive, Archive::lost)
                .description("Seconds of domains that were not stored: the control store was unreachable for too long")
                .register(registry);
        FunctionCounter.builder("headgate.history.connections.lost.seconds", connections, ConnectionHistory::lost)
                .description(
                        "Seconds of domains whose connections were not stored: the control store was unreachable for too long,"
                                + " or there was no memory")
                .register(registry);
        Gauge.builder("headgate.history", retention, Retention::bytes)
                .baseUnit("bytes")
                .description("What the history takes on the control store's disk, about")
                .register(registry);
    }
}
