package dev.headgate.lab;

import java.util.random.RandomGenerator;

/**
 * The client of one arrival: its random numbers, and the work that it does while it holds a connection (rendering,
 * computing, calling other services). Used by one thread.
 */
public final class Client {

    private static final double LONGEST_IN_MEANS = 5;

    /** How the client spends time: {@code Thread::sleep}, or a test's virtual clock. */
    @FunctionalInterface
    public interface Spending {
        void spend(long nanos) throws InterruptedException;
    }

    private final RandomGenerator random;
    private final Spending spending;

    public Client(RandomGenerator random, Spending spending) {
        this.random = random;
        this.spending = spending;
    }

    public RandomGenerator random() {
        return random;
    }

    /** Works for a time drawn from an exponential distribution with this mean, at most five times the mean. */
    public void work(double meanMillis) throws InterruptedException {
        spending.spend((long) (Math.min(random.nextExponential(), LONGEST_IN_MEANS) * meanMillis * 1e6));
    }

    /** Pauses for exactly this time. */
    public void pause(long nanos) throws InterruptedException {
        spending.spend(nanos);
    }

    /** A random number in 1..n. */
    public int oneOf(int n) {
        return 1 + random.nextInt(n);
    }

    /** A random number in 1..n that prefers low numbers: the first tenth is drawn about every third time. */
    public int popularOf(int n) {
        double u = random.nextDouble();
        return 1 + (int) (n * u * u);
    }
}
