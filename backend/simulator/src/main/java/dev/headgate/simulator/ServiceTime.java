package dev.headgate.simulator;

/**
 * How long a request takes on average, given how many the server works on at once. A pure function; chance is added by
 * the {@link SimulatedServer}.
 */
@FunctionalInterface
public interface ServiceTime {

    /** @param active requests under way on the server, this one included; at least 1 */
    double meanNanos(int active);

    /** {@code base + slope * active}: Jordan's linear law. */
    static ServiceTime linear(double baseMs, double slopeMs) {
        return active -> (baseMs + slopeMs * active) * 1e6;
    }

    /**
     * A server of so many cores: {@code baseMs} while each request has a core of its own, and a fair share of them from
     * there on. The law's bend is sharp, as it is on a machine that does nothing else.
     */
    static ServiceTime cores(int cores, double baseMs) {
        return active -> baseMs * Math.max(1, active / (double) cores) * 1e6;
    }

    /**
     * Gunther's Universal Scalability Law, as latency at {@code active} requests under way:
     * {@code base * (1 + contention (N-1) + coherence N (N-1))}. Beyond {@code sqrt((1-contention)/coherence)} more
     * concurrency lowers throughput.
     */
    static ServiceTime usl(double baseMs, double contention, double coherence) {
        return active -> baseMs * (1 + contention * (active - 1) + coherence * active * (active - 1.0)) * 1e6;
    }
}
