package dev.headgate.policy.latencycap;

import java.util.concurrent.TimeUnit;

/**
 * The number of connections that is granted, and how long it must rest before it changes again.
 *
 * <p>Close to the cap two changes are two seconds apart, so that each is measured before the next. Every change begins the measurement
 * anew. The size from before an <em>episode</em>, a time in which the database was slow whatever the size, is remembered as known ground.
 * Not thread-safe.
 */
final class Ceiling {

    /** The rest between two changes close to the cap. */
    static final long REST_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** An episode lasts at least so long: seconds of heavier work come in waves, and the next one follows soon. */
    private static final long EPISODE_NANOS = TimeUnit.SECONDS.toNanos(6);
    /** What lasts longer is no episode: the database, or its work, has changed. */
    private static final long LONGEST_EPISODE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final Measured measured;

    private int size;
    private long changedNanos;
    private boolean everShrunk;
    private long shrunkNanos;
    /** Whether the latency is too high at this size, and since when. */
    private boolean over;

    private long overSinceNanos;
    /** The size before an episode, and when it was first left; 0 where there is none. */
    private int heldSize;

    private long heldSinceNanos;

    Ceiling(Measured measured) {
        this.measured = measured;
    }

    int size() {
        return size;
    }

    void start(int first, long now) {
        size = first;
        changedNanos = now;
        measured.settleAt(now);
    }

    /** Follows a floor that has risen above it. This is no decision: it needs no rest, and measuring goes on. */
    void raiseTo(int floor) {
        size = floor;
    }

    void change(int to, long now) {
        size = to;
        heldSize = size >= heldSize ? 0 : heldSize;
        changedNanos = now;
        over = false;
        measured.beginAnew(now);
    }

    /** Takes connections away. */
    void shrink(int to, long now) {
        everShrunk = true;
        shrunkNanos = now;
        change(to, now);
    }

    /** Whether the last change is long enough ago for another one close to the cap. */
    boolean isRested(long now) {
        return sinceChange(now) >= REST_NANOS;
    }

    long sinceChange(long now) {
        return now - changedNanos;
    }

    /** How long ago connections were taken away. */
    long sinceShrunk(long now) {
        return everShrunk ? now - shrunkNanos : Long.MAX_VALUE;
    }

    /** Notes whether the latency is too high at present. */
    void judge(boolean tooHigh, long now) {
        if (tooHigh && !over) {
            overSinceNanos = now;
        }
        over = tooHigh;
    }

    /** How long the latency has been too high, where it is. */
    long overFor(long now) {
        return now - overSinceNanos;
    }

    /** Remembers this size: it is likely the database that is too slow, not this size that has failed. */
    void holdGround(long now) {
        if (heldSize == 0) {
            heldSinceNanos = now;
        }
        heldSize = Math.max(heldSize, size);
    }

    /** This size has failed. */
    void loseGround() {
        heldSize = 0;
    }

    /** By how many connections it was larger before the episode; 0 or less where there is none. */
    int knownGround() {
        return heldSize - size;
    }

    /** Whether connections were taken away in an episode that is not too long for one. */
    boolean isInEpisode(long now) {
        return knownGround() > 0 && now - heldSinceNanos < LONGEST_EPISODE_NANOS;
    }

    /** Whether connections were taken away in an episode that may be over by now. */
    boolean mayComeBack(long now) {
        return knownGround() > 0 && now - heldSinceNanos >= EPISODE_NANOS;
    }
}
