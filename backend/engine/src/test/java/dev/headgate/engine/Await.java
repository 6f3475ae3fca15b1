package dev.headgate.engine;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** Waits for what happens on other threads or on a real server: asks again until it is so, or until a deadline. */
public final class Await {

    private Await() {}

    /** @return how long it took, in nanoseconds */
    public static long until(String what, Duration atMost, Callable<Boolean> holds) throws Exception {
        long began = System.nanoTime();
        while (!holds.call()) {
            if (System.nanoTime() - began > atMost.toNanos()) {
                throw new AssertionError("not within " + atMost + ": " + what);
            }
            LockSupport.parkNanos(1_000_000);
        }
        return System.nanoTime() - began;
    }
}
