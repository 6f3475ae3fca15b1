package dev.headgate.testkit;

import dev.headgate.spi.DatabaseView;
import dev.headgate.spi.Limits;
import dev.headgate.spi.PoolView;
import dev.headgate.spi.Tier;
import dev.headgate.spi.Window;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * An endless, seeded story of one pool, told in views without regard to plausibility: what a policy must survive, not
 * what it will meet. Sizes, demand and latencies wander over their whole range, jump, and stand still; windows are empty
 * or full; the clock may not move between two steps.
 */
public final class Views {

    private static final long HOUR = Duration.ofHours(1).toNanos();
    private static final long WINDOW = Duration.ofMillis(100).toNanos();

    /** When every story starts. The monotonic clock begins below 0, as the machine's may: code that takes 0 for "never" shows itself. */
    static final Instant START = Instant.parse("2026-11-21T12:00:00Z");

    static final long START_NANOS = -HOUR;

    private final SplittableRandom random;
    private long sinceStartNanos;
    private Window window = emptyWindow(START_NANOS);
    private Limits last = Limits.unbounded();

    /** One step of the governor: the window that ended before it, if one did, and the view. */
    public record Step(Optional<Window> window, PoolView view) {}

    public Views(long seed) {
        this.random = new SplittableRandom(seed);
    }

    /** A window in which nothing happened. */
    public static Window emptyWindow(long startNanos) {
        return new Window(startNanos, WINDOW, Durations.none(), Durations.none(), 0, 0, 0, 0, 0, 0, 0, 0, List.of());
    }

    /** The next step of the story. */
    public Step next() {
        Optional<Window> ended = Optional.empty();
        if (random.nextInt(4) > 0) {
            sinceStartNanos += random.nextInt(20) == 0 ? random.nextLong(HOUR) : WINDOW;
            window = window();
            ended = Optional.of(window);
        }
        int size = count();
        int inUse = random.nextInt(3) == 0 ? size : random.nextInt(size + 1);
        int waiting = random.nextBoolean() ? 0 : count();
        if (random.nextInt(10) == 0) {
            last = Limits.unbounded().withFloor(count()).withCeiling(count());
        }
        PoolView view = new PoolView(
                "story",
                1,
                START.plusNanos(sinceStartNanos),
                nanoTime(),
                size,
                inUse,
                size - inUse,
                waiting,
                waiting == 0 ? 0 : random.nextLong(HOUR),
                window,
                last,
                new DatabaseView(
                        "main",
                        1 + count(),
                        size,
                        List.of(
                                new DatabaseView.Sibling("story", Tier.NONE, size, inUse, waiting, 0),
                                new DatabaseView.Sibling("other", Tier.GOLD, count(), 0, count(), count()))));
        return new Step(ended, view);
    }

    private Window window() {
        if (random.nextInt(5) == 0) {
            return emptyWindow(nanoTime() - WINDOW);
        }
        long typical = 1 + random.nextLong(random.nextInt(10) == 0 ? HOUR : 50_000_000);
        int requests = random.nextInt(random.nextBoolean() ? 3 : 300);
        long[] latencies = new long[requests];
        Arrays.setAll(latencies, i -> (long) (typical * random.nextDouble(0.1, 3)));
        int leases = random.nextInt(100);
        long[] waits = new long[leases];
        Arrays.setAll(waits, i -> random.nextBoolean() ? 0 : random.nextLong(HOUR));
        int size = count();
        return new Window(
                nanoTime() - WINDOW,
                random.nextInt(50) == 0 ? 1 : WINDOW,
                Durations.ofNanos(latencies),
                Durations.ofNanos(waits),
                leases,
                leases,
                random.nextInt(20) == 0 ? count() : 0,
                random.nextInt(20) == 0 ? requests : 0,
                random.nextInt(5) == 0 ? 0 : random.nextDouble(size + 1),
                random.nextInt(5) == 0 ? 0 : random.nextDouble(size + 1),
                size,
                random.nextBoolean() ? 0 : count(),
                connections());
    }

    private List<Window.ConnectionWindow> connections() {
        List<Window.ConnectionWindow> connections = new ArrayList<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            connections.add(
                    new Window.ConnectionWindow("story-" + i, Durations.ofNanos(random.nextLong(HOUR)), 0, 1, 1));
        }
        return connections;
    }

    private long nanoTime() {
        return START_NANOS + sinceStartNanos;
    }

    private int count() {
        return switch (random.nextInt(6)) {
            case 0 -> 0;
            case 1 -> 1;
            case 2 -> random.nextInt(10_000);
            default -> random.nextInt(40);
        };
    }
}
