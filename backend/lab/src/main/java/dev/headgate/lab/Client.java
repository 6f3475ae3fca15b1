package dev.headgate.lab;

import java.util.random.RandomGenerator;

/**
 * The client of one arrival: its random numbers, and the work it does itself while it holds a connection (rendering,
 * computing, talking to others). Used by one thread.
 */
public final class Client {

    private static final double LONGEST_IN_MEANS = 5;

    /** How time is spent; {@code Thread::sleep} in earnest. */
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

    /** Works for a time drawn from the exponential distribution of the given mean, cut at five means. */
    public void work(double meanMillis) throws InterruptedException {
        spending.spend((long) (Math.min(random.nextExponential(), LONGEST_IN_MEANS) * meanMillis * 1e6));
    }

    /** A number of 1..n. */
    public int oneOf(int n) {
        return 1 + random.nextInt(n);
    }

    /** A number of 1..n of which the low ones are popular: the first tenth is drawn about every third time. */
    public int popularOf(int n) {
        double u = random.nextDouble();
        return 1 + (int) (n * u * u);
    }
}
