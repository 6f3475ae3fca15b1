package dev.headgate.simulator;

import java.time.Duration;
import java.util.Arrays;

/**
 * Clients that give up on an answer and try again: what keeps a system down after the cause has gone (Bronson, Aghayev, Charapko
 * and Zhu, "Metastable Failures in Distributed Systems", HotOS 2021; Huang and others, "Metastable Failures in the Wild", OSDI
 * 2022). New clients come as a {@link Load} says. Each waits for {@code patience}; if no answer came, or it was refused, it pauses
 * and tries again, {@code attempts} times in all.
 *
 * <p>Giving up is not told to anybody, as with most clients behind a service: an attempt that was given up keeps its place in the
 * queue, and its work is done for nobody.
 *
 * <p>Made anew for each simulation; afterwards it tells how many clients were answered in time.
 */
public final class Clients {

    private final Load load;
    private final Duration patience;
    private final int attempts;
    private final Duration pause;
    private long[] answered = new long[64];
    private long[] came = new long[64];

    private Clients(Load load, Duration patience, int attempts, Duration pause) {
        this.load = load;
        this.patience = patience;
        this.attempts = attempts;
        this.pause = pause;
    }

    /**
     * @param patience how long a client waits for each answer
     * @param attempts how often it tries, at least once
     * @param pause between two of its attempts, on average; pauses vary by a half, as with the usual jitter
     */
    public static Clients of(Load load, Duration patience, int attempts, Duration pause) {
        if (attempts < 1 || !patience.isPositive() || pause.isNegative()) {
            throw new IllegalArgumentException("at least 1 attempt, a positive patience, no negative pause");
        }
        return new Clients(load, patience, attempts, pause);
    }

    Load load() {
        return load;
    }

    long patienceNanos() {
        return patience.toNanos();
    }

    int attempts() {
        return attempts;
    }

    long pauseNanos() {
        return pause.toNanos();
    }

    void comes(long sinceStartNanos) {
        came = counted(came, sinceStartNanos);
    }

    void isAnswered(long sinceStartNanos) {
        answered = counted(answered, sinceStartNanos);
    }

    private static long[] counted(long[] perSecond, long sinceStartNanos) {
        int second = Math.toIntExact(sinceStartNanos / 1_000_000_000L);
        long[] longEnough = second < perSecond.length ? perSecond : Arrays.copyOf(perSecond, 2 * second);
        longEnough[second]++;
        return longEnough;
    }

    /** Clients per second that got an answer while they waited for it, in whole seconds since the start. */
    public double goodput(Duration from, Duration to) {
        return perSecond(answered, from, to);
    }

    /** Clients per second that came, each counted once. */
    public double offered(Duration from, Duration to) {
        return perSecond(came, from, to);
    }

    private static double perSecond(long[] counts, Duration from, Duration to) {
        int begin = Math.toIntExact(from.toSeconds());
        int end = Math.toIntExact(to.toSeconds());
        return Arrays.stream(Arrays.copyOf(counts, Math.max(counts.length, end)), begin, end)
                        .sum()
                / (double) (end - begin);
    }
}
