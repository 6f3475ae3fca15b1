package dev.headgate.lab.load;

import static dev.headgate.lab.report.Numbers.rounded;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a reader must know of the loads of one run to judge its figures: which requests failed, and whether the generator itself was the
 * limit. Every experiment that runs a load tells it here, and puts {@link #all} into its report. Not safe for use by several threads.
 */
public final class LoadNotes {

    private static final int MOST_NAMED = 3;

    private record Late(String load, double millis) {}

    private final List<String> failures = new ArrayList<>();
    private final List<Late> loads = new ArrayList<>();
    private boolean someUnscheduled;

    /** @param load for people: "4 connections" */
    public void add(String load, LoadResult result) {
        if (result.failed() > 0) {
            failures.add("%s: %d requests failed%s%s, the last one: %s"
                    .formatted(
                            load,
                            result.failed(),
                            some(result.unfinished(), "unfinished at the end"),
                            some(result.dropped(), "not started because too many were in flight"),
                            result.lastFailure()));
        }
        if (result.hasSchedule()) {
            add(load, result.latenessMs());
        } else {
            someUnscheduled = true;
        }
    }

    /** @param latenessMs nine of ten requests began at most so long after their schedule */
    public void add(String load, double latenessMs) {
        loads.add(new Late(load, latenessMs));
    }

    private static String some(long count, String which) {
        return count == 0 ? "" : ", %d of them %s".formatted(count, which);
    }

    /** The failures, and a sentence on the generator for loads with a schedule and for loads without one. */
    public List<String> all() {
        List<String> all = new ArrayList<>(failures);
        if (!loads.isEmpty()) {
            all.add(generator());
        }
        if (someUnscheduled) {
            all.add(
                    "Where users do not think, the load generator has no schedule to keep: each sends the next request when it has its answer, and nothing tells whether the generator slowed it.");
        }
        return all;
    }

    private String generator() {
        List<Late> worst = loads.stream()
                .sorted(Comparator.comparingDouble(Late::millis).reversed())
                .toList();
        long late = worst.stream()
                .filter(each -> each.millis() > LoadResult.LATE_MILLIS)
                .count();
        return late == 0
                ? "The load generator kept its schedule: in every load it started nine of ten requests within %s ms of their time."
                        .formatted(rounded(worst.getFirst().millis()))
                : "The load generator was the bottleneck in %d of %d loads: one request in ten began later than its schedule by %s. The latencies include that."
                        .formatted(
                                late,
                                worst.size(),
                                worst.stream()
                                        .limit(Math.min(late, MOST_NAMED))
                                        .map(each -> "%s ms (%s)".formatted(rounded(each.millis()), each.load()))
                                        .collect(Collectors.joining(", ")));
    }
}
