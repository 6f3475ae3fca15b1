package dev.headgate.policy.latencycap;

import java.util.Optional;

/**
 * What the capped statistic is expected to be at a given number of active connections: the body of the latencies (see {@link Sample})
 * that the {@link LatencyModel} expects there, times the {@linkplain Tail ratio} of the statistic to the body.
 *
 * <p>Load moves all requests together, so how latency depends on load is learned from the body, which takes a tenth of the requests
 * that a percentile takes to be known as well, and does not move with single slow requests as the mean does. How far the statistic
 * lies above the body is a property of the work, and is learned on its own, from all sizes at once. Whether further connections would
 * add throughput is a question to the body alone, by Little's law.
 *
 * <p>Nanoseconds, and connections with a request under way. Not thread-safe.
 */
final class Forecast {

    /** The body's standard error over one sample, relative to it, for exponentially distributed latencies. */
    private static final double SPREAD_OF_BODY = 1;

    /** How surely the tail is known before connections are taken away for it, in standard deviations. */
    private static final double CARE = 0.5;

    private static final double CARE_AT_A_STEP = 1.5;
    /** A tail that may be shorter than this share of what is believed has a step there. */
    private static final double STEP = 0.6;
    /** A body that is longer by this factor, at a size that kept the cap, is another database's or another work's. */
    private static final double FAR = 2;

    private LatencyModel body = new LatencyModel(SPREAD_OF_BODY);
    private Tail tail;
    private Optional<Belief> kept = Optional.empty();

    /**
     * What was believed at a moment.
     *
     * @param active connections that had a request under way
     */
    private record Belief(LatencyModel body, Tail tail, double active) {

        /** With fewer connections than there were then, what was believed of as many as then: the line is a tangent. */
        double bodyAt(double nowActive) {
            return body.at(Math.max(nowActive, active));
        }
    }

    Forecast(Statistic statistic) {
        this.tail = Tail.of(statistic);
    }

    // ---- before an episode, and after it

    /** Keeps what is believed now, in place of what was kept before. */
    void keep(double active) {
        kept = Optional.of(new Belief(new LatencyModel(body), tail.copy(), active));
    }

    boolean hasKept() {
        return kept.isPresent();
    }

    /** Whether the body is no longer than it was when that was kept; with more connections active, than it would have been. */
    boolean isAsKept(double bodyNanos, double active) {
        return kept.isPresent() && bodyNanos > 0 && bodyNanos <= kept.get().bodyAt(active);
    }

    /**
     * Whether the body is so much longer than it was when that was kept that no change of size explains it; with more connections
     * active, than it would have been.
     */
    boolean isFarFromKept(double bodyNanos, double active) {
        return kept.isPresent() && bodyNanos > FAR * kept.get().bodyAt(active);
    }

    /** Believes again what was kept, and keeps nothing. */
    void restore() {
        kept.ifPresent(belief -> {
            body = belief.body();
            tail = belief.tail();
        });
        kept = Optional.empty();
    }

    // ---- now

    /** Whether there was enough to forecast by. */
    boolean known() {
        return body.known() && tail.known();
    }

    void learn(long nowNanos, double active, Sample sample, boolean full) {
        body.learn(nowNanos, active, sample.bodyNanos(), sample.count(), full);
        tail.learn(nowNanos, sample);
    }

    double at(double active) {
        return body.at(active) * tail.ratio();
    }

    /** What the statistic is at least where the body is so long. */
    double atBody(double bodyNanos) {
        return bodyNanos * leastTail(CARE);
    }

    /**
     * What the statistic may be at most, so many standard deviations away. Doubt of the tail counts as far as load matters: where it
     * does not, a smaller pool has the same tail, and to stay small would keep no cap.
     */
    double above(double active, double deviations) {
        double ofTail = Math.clamp(loadShareAt(active), 0, 1) * (tail.above(deviations) / tail.ratio() - 1);
        return at(active) * (1 + Math.hypot(relative(active) * deviations, ofTail));
    }

    /** What it is at least as far as load is doubted, with the tail as it is believed to be. */
    double below(double active, double deviations) {
        return at(active) * Math.max(0, 1 - relative(active) * deviations);
    }

    /** What it is at least, so surely that connections can be taken away for it. */
    double surely(double active, double deviations) {
        double off = Math.hypot(relative(active) * deviations, 1 - leastTail(deviations) / tail.ratio());
        return at(active) * Math.max(0, 1 - off);
    }

    /**
     * A percentile a little above a step between two modes may as well stand below it; a pool that shrinks for it would fall to its
     * floor for nothing, and soon grow again. So where a step is within reach, the value below it counts.
     */
    private double leastTail(double deviations) {
        double belowStep = tail.below(Math.max(deviations, CARE_AT_A_STEP));
        return belowStep < STEP * tail.ratio() ? belowStep : tail.below(deviations);
    }

    /** By how many times the statistic of a window of so many requests may exceed what it is, by chance, so many deviations away. */
    double chance(long requests, double deviations) {
        return tail.chance(requests, deviations);
    }

    private double relative(double active) {
        return body.deviationAt(active) / Math.max(1, body.at(active));
    }

    /** The share of the latency at so many active connections that load is responsible for. */
    double loadShareAt(double active) {
        return body.loadShareAt(active);
    }

    /**
     * By how much of a percent the throughput of a full pool would rise with one percent more connections; negative where it
     * would fall.
     */
    double gainAt(double active) {
        return body.at(active) <= 0 ? 0 : 1 - body.loadShareAt(active);
    }
}
