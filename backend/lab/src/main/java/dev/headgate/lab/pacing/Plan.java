package dev.headgate.lab.pacing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A load in phases, one after another: warm-ups first, then steps and ramps. When the last one ends, the load is over.
 *
 * @param phases at least one of them counts, and at least one has a level above 0
 */
public record Plan(List<Phase> phases) implements Course {

    /**
     * One phase. Its level moves evenly from one to another.
     *
     * @param from arrivals a second, or users, at its begin
     * @param to the same at its end
     * @param length above 0
     * @param warmUp whether the load runs, but does not count
     */
    public record Phase(double from, double to, Duration length, boolean warmUp) {

        public Phase {
            if (!(from >= 0 && to >= 0 && Double.isFinite(from + to)) || !length.isPositive()) {
                throw new IllegalArgumentException(
                        "a phase needs levels of 0 or more and a length, was " + from + " to " + to + " in " + length);
            }
        }

        public static Phase hold(double level, Duration length) {
            return new Phase(level, level, length, false);
        }

        public static Phase ramp(double from, double to, Duration length) {
            return new Phase(from, to, length, false);
        }

        public Phase asWarmUp() {
            return new Phase(from, to, length, true);
        }
    }

    public Plan {
        phases = List.copyOf(phases);
        if (phases.isEmpty() || phases.getLast().warmUp()) {
            throw new IllegalArgumentException("a plan needs a phase that counts");
        }
        for (int i = 1; i < phases.size(); i++) {
            if (phases.get(i).warmUp() && !phases.get(i - 1).warmUp()) {
                throw new IllegalArgumentException("phase " + i + " is a warm-up after a phase that counts");
            }
        }
        if (phases.stream().allMatch(each -> each.from() == 0 && each.to() == 0)) {
            throw new IllegalArgumentException("a plan needs a level above 0");
        }
    }

    /**
     * One level.
     *
     * @param warmUp 0 for none
     */
    public static Plan of(double level, Duration warmUp, Duration measured) {
        List<Phase> phases = new ArrayList<>();
        if (warmUp.isPositive()) {
            phases.add(Phase.hold(level, warmUp).asWarmUp());
        }
        phases.add(Phase.hold(level, measured));
        return new Plan(phases);
    }

    @Override
    public double at(long nanos) {
        int index = indexAt(nanos);
        Phase phase = phases.get(index);
        double share = (double) (nanos - beginNanos(index)) / phase.length().toNanos();
        return phase.from() + (phase.to() - phase.from()) * Math.clamp(share, 0, 1);
    }

    /** That of the phase that the time is in. */
    @Override
    public Bound bound(long nanos) {
        int index = indexAt(nanos);
        Phase phase = phases.get(index);
        return new Bound(Math.max(phase.from(), phase.to()), beginNanos(index + 1));
    }

    @Override
    public long endNanos() {
        return beginNanos(phases.size());
    }

    /** The phase that a time since the start is in; the last one for every later time. */
    public int indexAt(long nanos) {
        long end = 0;
        for (int i = 0; i < phases.size() - 1; i++) {
            end += phases.get(i).length().toNanos();
            if (nanos < end) {
                return i;
            }
        }
        return phases.size() - 1;
    }

    /** The time since the start at which a phase begins. */
    public long beginNanos(int index) {
        return phases.subList(0, index).stream()
                .mapToLong(each -> each.length().toNanos())
                .sum();
    }

    /** What does not count at its begin. */
    public Duration warmUp() {
        return phases.stream().filter(Phase::warmUp).map(Phase::length).reduce(Duration.ZERO, Duration::plus);
    }

    /** With the warm-up. */
    public Duration length() {
        return Duration.ofNanos(endNanos());
    }
}
