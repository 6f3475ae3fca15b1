package dev.headgate.server.metrics;

import dev.headgate.engine.supervision.SupervisedTask;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.server.feed.Listener;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * The failures of every supervised thread and timer, updated once a second. The label is the task's name. A meter goes with its
 * task: each database has some.
 */
@Component
class FailureMetrics implements MeterBinder, Listener {

    private static final int TURNS_PER_LOOK = 20;

    private final Supervisor supervisor;

    /** The tasks with a meter, as last read. */
    private final Map<String, SupervisedTask> shown = new ConcurrentHashMap<>();

    private final Map<String, Meter> meters = new HashMap<>();
    private volatile @Nullable MeterRegistry registry;

    FailureMetrics(Supervisor supervisor) {
        this.supervisor = supervisor;
    }

    @Override
    public void bindTo(MeterRegistry to) {
        registry = to;
    }

    @Override
    public void turn(long number, Instant now) {
        MeterRegistry to = registry;
        if (to == null || number % TURNS_PER_LOOK != 0) {
            return;
        }
        Set<String> present = new HashSet<>();
        for (SupervisedTask task : supervisor.tasks()) {
            present.add(task.name());
            shown.put(task.name(), task);
            meters.computeIfAbsent(task.name(), name -> meter(to, name));
        }
        meters.entrySet().removeIf(entry -> {
            boolean gone = !present.contains(entry.getKey());
            if (gone) {
                to.remove(entry.getValue());
                shown.remove(entry.getKey());
            }
            return gone;
        });
    }

    private Meter meter(MeterRegistry to, String task) {
        return FunctionCounter.builder("headgate.thread.failures", shown, of -> failures(of.get(task)))
                .description("Failures of a thread or timer of the service; it continues after each")
                .tag("thread", task)
                .register(to);
    }

    /** @param task null during a scrape that began before it went */
    private static double failures(@Nullable SupervisedTask task) {
        return task == null ? 0 : task.failures();
    }
}
