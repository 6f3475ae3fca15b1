package dev.headgate.wire;

import dev.headgate.engine.time.Time;
import java.lang.System.Logger;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;

/**
 * Notices loops that stand still. Looks four times a second whether each has turned, and nudges those that have. Waits for
 * no loop: a look costs microseconds whatever the loops do. The looks run on the clock's thread.
 */
public final class LoopWatch implements AutoCloseable {

    /** A loop that has not turned for so long stands still. */
    public static final Duration PATIENCE = Duration.ofSeconds(1);

    private static final Logger LOG = System.getLogger(LoopWatch.class.getName());
    private static final Duration PERIOD = Duration.ofMillis(250);

    /** After the machine has slept, time has passed and nothing had a chance to turn: so many looks are needed too. */
    private static final int LOOKS = (int) PATIENCE.dividedBy(PERIOD);

    private final List<Watched> watched;
    private final Time time;
    private final LoopListener listener;
    private final Supplier<String> threads;
    private volatile boolean closed;

    /** Looks from now on, until it is closed. */
    public LoopWatch(List<? extends Turning> loops, Time time, LoopListener listener) {
        this(loops, time, listener, ThreadDump::take);
    }

    LoopWatch(List<? extends Turning> loops, Time time, LoopListener listener, Supplier<String> threads) {
        this.time = time;
        this.listener = listener;
        this.threads = threads;
        this.watched = loops.stream().map(Watched::new).toList();
        lookLater();
    }

    /** How each loop is doing; for any thread. */
    public List<LoopStatus> status() {
        return watched.stream().map(Watched::status).toList();
    }

    /** Looks no more. */
    @Override
    public void close() {
        closed = true;
    }

    private void lookLater() {
        time.after(PERIOD.toNanos(), () -> {
            if (!closed) {
                try {
                    watched.forEach(Watched::look);
                } catch (RuntimeException e) {
                    LOG.log(Logger.Level.ERROR, "What was noticed of a loop could not be told", e);
                } finally {
                    lookLater();
                }
            }
        });
    }

    private final class Watched {
        private final Turning loop;
        private long turns;
        private Instant since = time.now();
        private int looks;

        /** When it was last seen to turn. */
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
