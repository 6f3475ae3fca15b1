package dev.headgate.server.alarms;

import dev.headgate.engine.Database;
import dev.headgate.engine.Engine;
import dev.headgate.engine.Pool;
import dev.headgate.engine.supervision.Failure;
import dev.headgate.engine.supervision.SupervisedTask;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.server.feed.Listener;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/**
 * Raises an alarm on every domain if a thread or a timer of the service has failed within the last minute. The thread
 * continues, but the work of the failed turn is missing. Checks once a second.
 */
@Component
class FailureAlarm implements Listener {

    static final String CODE = "thread-failed";

    private static final int TURNS_PER_LOOK = 20;

    private final Supplier<Collection<Database>> fleet;
    private final Supplier<List<SupervisedTask>> tasks;

    /** Whether the alarm is raised. */
    private boolean raised;

    @Autowired
    FailureAlarm(Engine engine, Supervisor supervisor) {
        this(engine::databases, supervisor::tasks);
    }

    FailureAlarm(Supplier<Collection<Database>> fleet, Supplier<List<SupervisedTask>> tasks) {
        this.fleet = fleet;
        this.tasks = tasks;
    }

    @Override
    public void turn(long number, Instant now) {
        if (number % TURNS_PER_LOOK != 0) {
            return;
        }
        List<Failure> recent = tasks.get().stream()
                .flatMap(task -> task.last().stream())
                .filter(failure -> failure.at().plus(Supervisor.QUIET).isAfter(now))
                .toList();
        if (!recent.isEmpty()) {
            Failure first = recent.getFirst();
            String message = "%s of Headgate failed and goes on, %s since the start; last on %s%s"
                    .formatted(
                            first.task(),
                            first.number() == 1 ? "once" : first.number() + " times",
                            first.cause(),
                            recent.size() == 1 ? "" : "; so did " + (recent.size() - 1) + " more");
            each(pool -> pool.raise(CODE, message)); // also on pools that were added meanwhile
        } else if (raised) {
            each(pool -> pool.clear(CODE));
        }
        raised = !recent.isEmpty();
    }

    private void each(Consumer<Pool> action) {
        fleet.get().forEach(database -> database.pools().forEach(action));
    }
}
