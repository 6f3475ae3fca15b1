package dev.headgate.wire.auth;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Bounds the checks of passwords that clients show themselves. A check takes milliseconds of the processor on purpose, so a few run at
 * once, and others wait in order. Safe for any number of threads.
 */
public final class PasswordChecks {

    private static final Duration PATIENCE = Duration.ofSeconds(1);

    /** Other checks took all places for too long. */
    public static final class Busy extends Exception {
        private static final long serialVersionUID = 1;

        Busy() {
            super("too many passwords are being checked, try again in a moment");
        }
    }

    private final Semaphore places;
    private final Duration patience;

    /** @param atOnce at least 1 */
    public PasswordChecks(int atOnce) {
        this(atOnce, PATIENCE);
    }

    PasswordChecks(int atOnce, Duration patience) {
        this.places = new Semaphore(atOnce, true);
        this.patience = patience;
    }

    /**
     * Runs a check. Blocks while others take all places.
     *
     * @return what the check says
     */
    public boolean passes(BooleanSupplier check) throws Busy {
        try {
            if (!places.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new Busy();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Busy();
        }
        try {
            return check.getAsBoolean();
        } finally {
            places.release();
        }
    }
}
