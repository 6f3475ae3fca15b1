package dev.headgate.server.sql;

import dev.headgate.engine.Engine;
import dev.headgate.server.feed.Listener;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/**
 * The times of requests, per domain: to the first byte, to the first row, to the end. The timers of a domain are removed within a
 * second after it was. Safe for any thread.
 */
@Component
final class SqlMetrics implements Listener {

    private static final int TURNS_PER_LOOK = 20;

    private record Timers(Timer firstByte, Timer firstRow, Timer whole) {
        Stream<Timer> all() {
            return Stream.of(firstByte, firstRow, whole);
        }
    }

    private final MeterRegistry registry;

    /** Whether there is a domain of this name. */
    private final Predicate<String> exists;

    private final Map<String, Timers> byDomain = new ConcurrentHashMap<>();

    @Autowired
    SqlMetrics(MeterRegistry registry, Engine engine) {
        this(registry, domain -> engine.pool(domain).isPresent());
    }

    SqlMetrics(MeterRegistry registry, Predicate<String> exists) {
        this.registry = registry;
        this.exists = exists;
    }

    @Override
    public void turn(long number, Instant now) {
        if (number % TURNS_PER_LOOK == 0) {
            byDomain.entrySet().removeIf(entry -> {
                boolean gone = !exists.test(entry.getKey());
                if (gone) {
                    entry.getValue().all().forEach(registry::remove);
                }
                return gone;
            });
        }
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
