package dev.headgate.wire.loop;

import java.util.concurrent.TimeUnit;

/**
 * Whether a loop with nothing to do should look again at once, or sleep.
 *
 * <p>Who wakes a sleeping thread pays for it: on a virtual machine an interrupt to another core costs the sender some microseconds, and
 * a core that has gone to sleep takes tens of them to wake. The senders are the clients and the database. So a loop that expects its
 * next message within microseconds keeps looking for a while. It expects what it saw: the smoothed length of its last waits. A loop that
 * waits longer sleeps at once, and costs nothing while idle.
 *
 * <p>Sleeping itself makes waits long. One client that sends its next query as soon as it has its answer lets a sleeping loop wait for
 * 60 microseconds, and a looking one for 25. So a loop that waits for somewhat too long tries it: it looks for some tens of waits. If they
 * became short enough, it goes on. If not, because clients send when they please, it does not try again for some thousands of waits.
 *
 * <p>A core that others want is theirs. A looking loop yields between two looks. If yielding took long, somebody ran meanwhile. Where
 * that is more than an exception, the loop sleeps as it would without all this, and tries again a little later.
 *
 * <p>Source: busy polling of sockets, as in Linux (Documentation/admin-guide/sysctl/net.rst, busy_poll), in user space and by need.
 *
 * <p>Belongs to the loop's thread.
 */
final class BusyPoll {

    /** Looking pays if the next message is expected within this time. */
    static final long WORTH_NANOS = 40_000;

    /** A loop that sleeps, and waits for less than this, might wait for less than {@link #WORTH_NANOS} if it looked. */
    static final long LIKELY_NANOS = 100_000;

    /** A loop that has looked for so long sleeps. */
    static final long LONGEST_NANOS = 100_000;

    /** A yield that takes longer has let somebody run. */
    static final long YIELD_NANOS = 4_000;

    /** How long a loop on a wanted core does not look. */
    static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** How many waits show whether looking makes them short enough. */
    static final int TRIAL = 32;

    /** After how many waits it is tried again where it did not. */
    static final int NEXT_TRIAL = 5_000;

    /** A longer wait counts as this one, so that a loop notices soon that it has become busy again. */
    private static final long LONGEST_COUNTED = 200_000;

    /** The share of looks that others may end. */
    private static final double MOST_ENDED = 0.25;

    /** What is believed after a pause: the next look that others end begins another one. */
    private static final double AFTER_PAUSE = 0.2;

    /** How far one wait moves what is expected, and one look what share of them others end. */
    private static final double WEIGHT = 1.0 / 8;

    private double expected = LONGEST_COUNTED;
    /** Looks of the trial under way, and waits until there may be one. */
    private int tried;

    private int untilTrial;
    private double ended;
    private boolean hasPaused;
    private long pausedUntil;

    /** Takes note of the time from having nothing to do to the next message. */
    void waited(long nanos) {
        expected += WEIGHT * ((double) Math.min(nanos, LONGEST_COUNTED) - expected);
        untilTrial = Math.max(0, untilTrial - 1);
    }

    /**
     * Takes note that looking has ended.
     *
     * @param wanted whether somebody else ran on the core
     * @param now as {@link System#nanoTime}
     */
    void looked(boolean wanted, long now) {
        tried = expected < WORTH_NANOS ? 0 : tried + 1;
        if (tried == TRIAL) {
            tried = 0;
            untilTrial = NEXT_TRIAL;
        }
        ended += WEIGHT * ((wanted ? 1 : 0) - ended);
        if (ended > MOST_ENDED) {
            ended = AFTER_PAUSE;
            hasPaused = true;
            pausedUntil = now + PAUSE_NANOS;
        }
    }

    /** Whether to look now, as {@link System#nanoTime} tells it. */
    boolean isWorthIt(long now) {
        boolean pauses = hasPaused && now - pausedUntil < 0;
        boolean mayTry = untilTrial == 0 && expected < LIKELY_NANOS;
        return !pauses && (expected < WORTH_NANOS || mayTry);
    }
}
