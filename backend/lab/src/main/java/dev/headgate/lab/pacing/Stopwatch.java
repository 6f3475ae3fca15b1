package dev.headgate.lab.pacing;

import dev.headgate.engine.time.Time;

/** Whether a generator runs, and for how long. Guarded by the generator that has it. */
final class Stopwatch {

    private final Time time;
    private boolean running;
    private long startedNanos;
    private long stoppedNanos;

    Stopwatch(Time time) {
        this.time = time;
        this.startedNanos = time.nanoTime();
        this.stoppedNanos = startedNanos;
    }

    /** Starts it from zero. @return false if it was running, which has no effect */
    boolean start() {
        if (running) {
            return false;
        }
        running = true;
        startedNanos = time.nanoTime();
        return true;
    }

    /** @return false if it was not running, which has no effect */
    boolean stop() {
        if (!running) {
            return false;
        }
        running = false;
        stoppedNanos = time.nanoTime();
        return true;
    }

    boolean isRunning() {
        return running;
    }

    /** When it was started last; when it was made, if it never was. */
    long startedNanos() {
        return startedNanos;
    }

    /** How long it has run since it was started last. */
    long elapsedNanos() {
        return (running ? time.nanoTime() : stoppedNanos) - startedNanos;
    }
}
