package dev.headgate.lab.link;

import java.time.Duration;
import java.util.SplittableRandom;

/**
 * What is wrong with a line, beside its delay. Immutable; holds for each direction of each connection by itself.
 *
 * @param jitter each chunk of bytes is later by a random time of up to this; the order stays
 * @param bytesPerSecond the bandwidth; 0 does not limit it. A low one is a slow reader: little is under way, so the sender has to
 *     wait
 * @param piece bytes are written in pieces of at most this size, which split messages in their middle; 0 does not split
 * @param blackHole whether bytes vanish: nothing arrives any more, not even an end, and the connection stays
 * @param seed of the jitter
 */
public record Faults(Duration jitter, long bytesPerSecond, int piece, boolean blackHole, long seed) {

    public static final Faults NONE = new Faults(Duration.ZERO, 0, 0, false, 1);

    public Faults {
        if (jitter.isNegative() || bytesPerSecond < 0 || piece < 0) {
            throw new IllegalArgumentException("jitter, bytesPerSecond and piece must not be negative, were " + jitter
                    + ", " + bytesPerSecond + " and " + piece);
        }
    }

    public Faults withJitter(Duration most, long random) {
        return new Faults(most, bytesPerSecond, piece, blackHole, random);
    }

    public Faults withBandwidth(long rate) {
        return new Faults(jitter, rate, piece, blackHole, seed);
    }

    public Faults withPieces(int bytes) {
        return new Faults(jitter, bytesPerSecond, bytes, blackHole, seed);
    }

    public Faults withBlackHole(boolean vanish) {
        return new Faults(jitter, bytesPerSecond, piece, vanish, seed);
    }

    /** The jitter of a direction's chunk with this number: one seed always makes the same ones. */
    long jitterNanos(long number) {
        return jitter.isZero() ? 0 : new SplittableRandom(seed + number).nextLong(jitter.toNanos() + 1);
    }
}
