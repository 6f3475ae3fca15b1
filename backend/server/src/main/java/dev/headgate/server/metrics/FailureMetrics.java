package dev.headgate.server.metrics;

import dev.headgate.engine.supervision.SupervisedTask;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.server.feed.Listener;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** The failures of every supervised thread and timer, updated once a second. The label is the task's name; there are few. */
@Component
class FailureMetrics implements MeterBinder, Listener {

    private static final int TURNS_PER_LOOK = 20;

    private final Supervisor supervisor;
    private final Map<String, SupervisedTask> shown = new ConcurrentHashMap<>();
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
        for (SupervisedTask task : supervisor.tasks()) {
            if (shown.put(task.name(), task) == null) {
                FunctionCounter.builder("headgate.thread.failures", shown, of -> failures(of, task.name()))
                        .description("Failures of a thread or timer of the service; it continues after each")
                        .tag("thread", task.name())
                        .register(to);
            }
        }
    }

    private static double failures(Map<String, SupervisedTask> of, String task) {
        return Objects.requireNonNull(of.get(task)).failures();
    }
}
