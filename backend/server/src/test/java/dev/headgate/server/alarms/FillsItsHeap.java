package dev.headgate.server.alarms;

import dev.headgate.server.Headgate;
import org.jspecify.annotations.Nullable;

/** A service that fills its heap once it is up: by a property, with {@code many} small objects or {@code one} that is larger than all of it. */
final class FillsItsHeap {

    static final String PROPERTY = "fills";

    /** What fills it, with a secret in each. */
    static final class Kept {
        final @Nullable Kept before;
        final String secret;

        Kept(@Nullable Kept before, String secret) {
            this.before = before;
            this.secret = secret;
        }
    }

    private static volatile @Nullable Object held;

    private FillsItsHeap() {}

    public static void main(String[] arguments) {
        Headgate.main(arguments);
        if (System.getProperty(PROPERTY, "").equals("one")) {
            held = new long[(int) (Runtime.getRuntime().maxMemory() / Long.BYTES)];
        }
        String secret = System.getenv("SECRET");
        Kept last = null;
        while (true) {
            last = new Kept(last, secret + System.nanoTime());
            held = last;
        }
    }
}
