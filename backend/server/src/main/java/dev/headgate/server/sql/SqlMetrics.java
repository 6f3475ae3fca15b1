package dev.headgate.server.sql;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.springframework.stereotype.Component;

/** The times of requests, per domain: to the first byte, to the first row, to the end. Safe for any thread. */
@Component
final class SqlMetrics {

    private record Timers(Timer firstByte, Timer firstRow, Timer whole) {}

    private final MeterRegistry registry;
    private final Map<String, Timers> byDomain = new ConcurrentHashMap<>();

    SqlMetrics(MeterRegistry registry) {
        this.registry = registry;
    }

    void record(String domain, SqlTimes times) {
        Timers timers = byDomain.computeIfAbsent(domain, this::timers);
        record(timers.firstByte(), times.firstByteNanos());
        record(timers.firstRow(), times.firstRowNanos());
        record(timers.whole(), times.elapsed());
    }

    private static void record(Timer timer, long nanos) {
        if (nanos >= 0) {
            timer.record(nanos, TimeUnit.NANOSECONDS);
        }
    }

    private Timers timers(String domain) {
        return new Timers(
                timer("headgate.sql.first.byte", "From a request's arrival until its first byte left", domain),
                timer("headgate.sql.first.row", "From a request's arrival until its first row came", domain),
                timer("headgate.sql.requests", "From a request's arrival to its end", domain));
    }

    private Timer timer(String name, String description, String domain) {
        return Timer.builder(name)
                .description(description)
                .tag("domain", domain)
                .register(registry);
    }
}
