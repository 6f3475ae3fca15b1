package dev.headgate.wire;

import dev.headgate.engine.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;

/**
 * Detects stalled loops. Checks four times per second whether each loop has turned, and nudges those that have. It never
 * waits for a loop: a check takes microseconds whatever the loops do. The checks run on the clock's thread.
 */
public final class LoopWatch implements AutoCloseable {

    /** A loop that has not turned for this long is stalled. */
    public static final Duration PATIENCE = Duration.ofSeconds(1);

    private static final Duration PERIOD = Duration.ofMillis(250);

    /** This many checks must also have passed: after the machine was suspended, time has passed but no loop could turn. */
    private static final int LOOKS = (int) PATIENCE.dividedBy(PERIOD);

    private final List<Watched> watched;
    private final Time time;
    private final LoopListener listener;
    private final Supplier<String> threads;
    private volatile boolean closed;

    /** Starts the checks. They run until {@link #close}. */
    public LoopWatch(List<? extends Turning> loops, Time time, LoopListener listener) {
        this(loops, time, listener, ThreadDump::ofPlatformThreads);
    }

    LoopWatch(List<? extends Turning> loops, Time time, LoopListener listener, Supplier<String> threads) {
        this.time = time;
        this.listener = listener;
        this.threads = threads;
        this.watched = loops.stream().map(Watched::new).toList();
        lookLater();
    }

    /** The state of each loop. Any thread. */
    public List<LoopStatus> status() {
        return watched.stream().map(Watched::status).toList();
    }

    /** Stops the checks. */
    @Override
    public void close() {
        closed = true;
    }

    private void lookLater() {
        time.after(PERIOD.toNanos(), () -> {
            if (!closed) {
                try {
                    watched.forEach(Watched::look);
                } finally {
                    lookLater(); // also if the listener failed, of which the clock's supervisor is told
                }
            }
        });
    }

    private final class Watched {
        private final Turning loop;
        private long turns;
        private Instant since = time.now();
        private int looks;

        /** When it was last seen turning. */
        private volatile long sinceNanos = time.nanoTime();

        private volatile boolean stalled;

        Watched(Turning loop) {
            this.loop = loop;
            this.turns = loop.turns();
            loop.nudge();
        }

        void look() {
            long now = time.nanoTime();
            if (loop.turns() != turns) {
                turns = loop.turns();
                Duration stood = Duration.ofNanos(now - sinceNanos);
                sinceNanos = now;
                since = time.now();
                looks = 0;
                loop.nudge();
                if (stalled) {
                    stalled = false;
                    listener.turnsAgain(loop, stood);
                }
            } else if (++looks >= LOOKS && !stalled && now - sinceNanos >= PATIENCE.toNanos()) {
                stalled = true;
                listener.stalled(loop, since, threads.get());
            }
        }

        LoopStatus status() {
            return new LoopStatus(
                    loop.name(),
                    loop.turns(),
                    stalled ? Duration.ofNanos(time.nanoTime() - sinceNanos) : Duration.ZERO);
        }
    }
}
