package dev.headgate.policy.tiers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.simulator.Load;
import dev.headgate.simulator.Run;
import dev.headgate.simulator.ServiceTime;
import dev.headgate.simulator.SimulatedServer;
import dev.headgate.simulator.Simulator;
import dev.headgate.simulator.Work;
import dev.headgate.spi.Limits;
import dev.headgate.spi.Parameters;
import dev.headgate.spi.Policy;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * What a guarantee is worth: gold beside a bronze flood, in the simulator. The server bears the whole budget (a core for each
 * connection), so that what one domain feels of the other is Headgate's doing. {@link #main} prints the figures.
 */
class PromisesTest {

    private static final int BUDGET = 16;
    private static final int GUARANTEED = 10;
    private static final int SEEDS = 12;
    private static final Duration WARM = Duration.ofSeconds(5);
    private static final Duration END = Duration.ofSeconds(35);

    private static final Policy BOUNDED =
            pool -> Limits.unbounded().withCeiling(BUDGET).because("The budget.");

    @Test
    void goldUnderABronzeFloodBehavesAsIfAlone() {
        for (long seed = 0; seed < SEEDS; seed++) {
            assertThat(flood(seed))
                    .as("gold's p99 over what it is alone, seed %d", seed)
                    .isLessThanOrEqualTo(1.25);
        }
    }

    @Test
    void inNoWindowIsTheGuaranteeBrokenForAllOfIt() {
        for (long seed = 0; seed < 4; seed++) {
            assertThat(longestBreachMillis(seed)).as("seed %d", seed).isLessThan(100);
        }
    }

    @Test
    void lentConnectionsAreBackWithinOneHoldAndAHundredMilliseconds() {
        for (long seed = 0; seed < SEEDS; seed++) {
            assertThat(reclaimMillis(seed)).as("seed %d", seed).isLessThanOrEqualTo(HOLD_MILLIS + 100);
        }
    }

    /** Gold's p99 from asking for a lease to giving it back, beside a flood, over the same alone. */
    private static double flood(long seed) {
        Simulator alone = simulator(seed).domain("gold", gold(), tier("gold", GUARANTEED), BOUNDED);
        double quiet = p99(alone.runFor(END).run("gold"));
        return p99(both(seed).runFor(END).run("gold")) / quiet;
    }

    /** How long gold waited at most while it had fewer connections than are guaranteed to it, looked at every millisecond. */
    private static long longestBreachMillis(long seed) {
        Simulator simulator = both(seed).runFor(WARM);
        long longest = 0;
        long breach = 0;
        for (long millis = WARM.toMillis(); millis < END.toMillis(); millis++) {
            simulator.runFor(Duration.ofMillis(1));
            boolean breached = simulator.waiting("gold") > 0 && simulator.inUse("gold") < GUARANTEED;
            breach = breached ? breach + 1 : 0;
            longest = Math.max(longest, breach);
        }
        return longest;
    }

    private static Simulator both(long seed) {
        return simulator(seed)
                .domain("gold", gold(), tier("gold", GUARANTEED), BOUNDED)
                .domain("bronze", Load.perSecond(5_000), tier("bronze", 0), BOUNDED);
    }

    /** About 5 of the 10 guaranteed connections are busy at a time. */
    private static Load gold() {
        return Load.perSecond(500);
    }

    private static Simulator simulator(long seed) {
        return new Simulator(new SimulatedServer(ServiceTime.cores(BUDGET, 10), 0.5, seed), BUDGET, seed);
    }

    private static double p99(Run run) {
        return run.responses(WARM, END).percentileNanos(99);
    }

    private static final long HOLD_MILLIS = 500;
    private static final int OWED = 4;

    /** Gold comes back to a database that bronze has filled, each lease of which lasts {@value #HOLD_MILLIS} ms. */
    private static long reclaimMillis(long seed) {
        Duration back = Duration.ofSeconds(10);
        Work hold = Work.single().heavier(HOLD_MILLIS / 10.0);
        Simulator simulator = new Simulator(new SimulatedServer(ServiceTime.linear(10, 0), 0, seed), BUDGET, seed)
                .domain("gold", Load.perSecond(0, hold).then(back, 2_000), tier("gold", OWED), BOUNDED)
                .domain("bronze", Load.perSecond(200, hold), tier("bronze", 0), BOUNDED)
                .runFor(back);
        assertThat(simulator.inUse("bronze")).as("gold's connections are lent").isEqualTo(BUDGET);
        long millis = 0;
        while (simulator.inUse("gold") < OWED && millis < 10_000) {
            simulator.runFor(Duration.ofMillis(1));
            millis++;
        }
        return millis;
    }

    private static Policy tier(String tier, int guaranteed) {
        return new TiersFactory().create(Parameters.of(Map.of("tier", tier, "guaranteed", guaranteed)));
    }

    /** Prints what the tests assert. */
    public static void main(String[] arguments) {
        for (long seed = 0; seed < 50; seed++) {
            System.out.printf(
                    Locale.ROOT,
                    "seed %d: gold's p99 beside the flood %.3f of alone; short of its guarantee for %d ms at most;"
                            + " guaranteed connections back after %d ms of a hold of %d ms%n",
                    seed,
                    flood(seed),
                    longestBreachMillis(seed),
                    reclaimMillis(seed),
                    HOLD_MILLIS);
        }
    }
}
