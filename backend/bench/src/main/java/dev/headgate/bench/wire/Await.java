package dev.headgate.bench.wire;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** Waits for another process. */
final class Await {

    private Await() {}

    /** Checks ten times a second. */
    static void until(String what, int seconds, Callable<Boolean> condition) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (!condition.call()) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("waited " + seconds + " s in vain until " + what);
            }
            Thread.sleep(100);
        }
    }
}
