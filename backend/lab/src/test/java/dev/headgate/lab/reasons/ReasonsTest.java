package dev.headgate.lab.reasons;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * A sentence never contradicts what it was said of. Made-up worlds are run until the governors have taken so many steps
 * ({@code -Dsteps=N}); what the oracle finds is told with the seed of its world, and {@code -Dseed=S} runs that world alone.
 */
class ReasonsTest implements Oracle.Listener {

    private static final long STEPS = Long.getLong("steps", 30_000);

    private record Found(long times, long seed, String first) {}

    private final Map<String, Found> found = new LinkedHashMap<>();
    private long seed;
    private long read;

    @Test
    void noSentenceContradictsItsInputs() {
        Long only = Long.getLong("seed");
        long steps = 0;
        for (seed = only == null ? 1 : only; steps < STEPS; seed++) {
            steps += new World(seed, this).run();
            if (only != null) {
                break;
            }
        }
        System.out.printf("%,d steps, %,d decisions and statuses read%n", steps, read);
        found.forEach((rule, each) -> System.out.printf(
                "%,7d times, first with -Dseed=%d: %s%n    %s%n", each.times, each.seed, rule, each.first));
        assertThat(read).isGreaterThan(steps / 20);
        assertThat(found.keySet())
                .as("contradictions, each printed above with a seed")
                .isEmpty();
    }

    @Override
    public void contradiction(String rule, String where) {
        found.merge(
                rule, new Found(1, seed, where), (known, one) -> new Found(known.times + 1, known.seed, known.first));
    }

    @Override
    public void read() {
        read++;
    }
}
