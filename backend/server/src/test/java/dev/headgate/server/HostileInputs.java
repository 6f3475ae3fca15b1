package dev.headgate.server;

import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Hostile inputs, each generated from a seed of its own, so that one that finds a fault can be played again.
 *
 * <p>A test plays a fixed number of fixed seeds. {@code ./headgate check hostile} sets {@code -Dhostile.seconds=N}: then each test goes
 * on for so long, from a seed that is printed. {@code -Dhostile.seed=S} sets the first seed, {@code -Dhostile.inputs=N} how many.
 */
public final class HostileInputs {

    /** Plays one input. */
    @FunctionalInterface
    public interface Play {
        void play(SplittableRandom random) throws Exception;
    }

    private HostileInputs() {}

    /**
     * Plays inputs one after the other on the caller's thread.
     *
     * @param usual how many, unless a number or a time is set
     * @return how many were played
     */
    public static long play(String what, long usual, Play play) {
        long seconds = Long.getLong("hostile.seconds", 0);
        long first = Long.getLong(
                "hostile.seed", seconds > 0 ? ThreadLocalRandom.current().nextInt() : 1);
        long inputs = Long.getLong("hostile.inputs", seconds > 0 ? Long.MAX_VALUE : usual);
        long began = System.nanoTime();
        if (seconds > 0) {
            System.out.println(what + ": from seed " + first);
        }
        long played = 0;
        while (played < inputs && (seconds == 0 || System.nanoTime() - began < seconds * 1_000_000_000L)) {
            long seed = first + played++;
            try {
                play.play(new SplittableRandom(seed));
            } catch (Exception | AssertionError | StackOverflowError fault) {
                throw new AssertionError(what + ": -Dhostile.inputs=1 -Dhostile.seed=" + seed + ": " + fault, fault);
            }
        }
        if (seconds > 0) {
            System.out.println(what + ": " + played + " inputs, no fault");
        }
        return played;
    }
}
