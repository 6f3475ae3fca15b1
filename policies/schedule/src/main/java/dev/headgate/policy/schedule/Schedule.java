package dev.headgate.policy.schedule;

import dev.headgate.spi.Limits;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PoolView;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;

/**
 * Holds the pool between the bounds of the first {@linkplain Span span} that holds now, and between other bounds where none
 * does. The time is the view's, in the operator's time zone, so summer time is followed without being asked.
 */
final class Schedule implements Policy {

    private final ZoneId zone;
    private final List<Span> spans;
    private final Limits otherwise;
    private final List<Limits> answers;

    Schedule(ZoneId zone, List<Span> spans, Bounds otherwise) {
        this.zone = zone;
        this.spans = List.copyOf(spans);
        this.answers = spans.stream()
                .map(span ->
                        limits(span.bounds(), "from %s to %s (%s)".formatted(span.from(), span.to(), zone.getId())))
                .toList();
        this.otherwise = limits(otherwise, "outside of the scheduled windows (%s)".formatted(zone.getId()));
    }

    private static Limits limits(Bounds bounds, String when) {
        String text = bounds + " " + when + ".";
        return Limits.unbounded()
                .withFloor(bounds.min())
                .withCeiling(bounds.max())
                .because(Character.toUpperCase(text.charAt(0)) + text.substring(1));
    }

    @Override
    public Limits limits(PoolView pool) {
        return holding(pool.time().atZone(zone).toLocalDateTime())
                .map(answers::get)
                .orElse(otherwise);
    }

    private Optional<Integer> holding(LocalDateTime local) {
        for (int i = 0; i < spans.size(); i++) {
            if (spans.get(i).holds(local)) {
                return Optional.of(i);
            }
        }
        return Optional.empty();
    }
}
