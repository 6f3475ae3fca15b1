package dev.headgate.server.alarms;

import dev.headgate.engine.governor.Words;
import dev.headgate.engine.supervision.Failure;
import dev.headgate.engine.supervision.Supervisor;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.springframework.stereotype.Component;

/**
 * A thread or a timer of the service has failed within the last minute. It continues, but the work of the failed turn is
 * missing.
 */
@Component
class FailedThreads implements Condition {

    private final Supervisor supervisor;

    FailedThreads(Supervisor supervisor) {
        this.supervisor = supervisor;
    }

    @Override
    public String code() {
        return "thread-failed";
    }

    @Override
    public Finding look(Instant now) {
        return Finding.onAll(words(now));
    }

    Optional<Words> words(Instant now) {
        List<Failure> recent = supervisor.tasks().stream()
                .flatMap(task -> task.last().stream())
                .filter(failure -> failure.at().plus(Supervisor.QUIET).isAfter(now))
                .toList();
        return recent.stream()
                .findFirst()
                .map(first -> "%s failed and goes on, %s since the start; last on %s%s"
                        .formatted(
                                first.task(),
                                first.number() == 1 ? "once" : first.number() + " times",
                                first.cause(),
                                recent.size() == 1 ? "" : "; so did " + (recent.size() - 1) + " more"))
                .map(detail -> Words.been("part failed", "A part of Headgate", "failing", detail));
    }
}
