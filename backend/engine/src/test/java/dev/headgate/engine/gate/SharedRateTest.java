package dev.headgate.engine.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.gate.Rules.Passage;
import dev.headgate.engine.time.SystemTime;
import dev.headgate.engine.time.VirtualTime;
import dev.headgate.spi.WhenExhausted;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Several gates at one rate: in virtual time, but for the race. */
class SharedRateTest {

    private static final Rules OPEN = new Rules(Passage.OPEN, WhenExhausted.queue(60_000, 10_000), false);
    private static final double NONE = Double.POSITIVE_INFINITY;

    private final VirtualTime time = new VirtualTime();
    private final Map<String, Integer> served = new TreeMap<>();
    private final List<String> told = new ArrayList<>();

    private Gate gate(SharedRate shared, int permits) {
        Gate gate = new Gate(time, OPEN, () -> {});
        gate.resize(permits);
        gate.setRate(NONE, 1, shared);
        return gate;
    }

    private Runnable ask(Gate gate, String name) {
        return gate.acquireAsync(Long.MAX_VALUE, new Gate.Listener() {
            @Override
            public void admitted(long waitedNanos) {
                served.merge(name, 1, Integer::sum);
                told.add(name + " after " + TimeUnit.NANOSECONDS.toMillis(waitedNanos));
            }

            @Override
            public void refused(Refusal refusal) {
                told.add(name + " " + refusal.why());
            }
        });
    }

    private void ask(Gate gate, String name, int requests) {
        for (int i = 0; i < requests; i++) {
            ask(gate, name);
        }
    }

    private SharedRate rate(double perSecond, int burst) {
        return new SharedRate(perSecond, burst, time.nanoTime());
    }

    @Test
    void boundsTheSumWithOneBurstForAll() {
        SharedRate shared = rate(10, 4);
        Gate a = gate(shared, 1_000);
        Gate b = gate(shared, 1_000);
        ask(a, "a", 3);
        ask(b, "b", 100);
        assertThat(served).as("the burst, to whoever comes first").isEqualTo(Map.of("a", 3, "b", 1));
        time.runFor(Duration.ofSeconds(5));
        assertThat(served).as("five seconds' worth, and the burst").isEqualTo(Map.of("a", 3, "b", 51));
    }

    @Test
    void givesEveryGateThatWaitsItsTurnHoweverManyWaitAtOthers() {
        SharedRate shared = rate(10, 1);
        ask(gate(shared, 1_000), "flood", 500);
        ask(gate(shared, 1_000), "b", 100);
        ask(gate(shared, 1_000), "c", 100);
        time.runFor(Duration.ofSeconds(10));
        assertThat(served.values()).as("of %s", served).allMatch(each -> each >= 33 && each <= 35);
        assertThat(served.values().stream().mapToInt(Integer::intValue).sum()).isEqualTo(101);
    }

    @Test
    void lendsTheTurnOfAGateThatDoesNotAsk() {
        SharedRate shared = rate(10, 1);
        Gate quiet = gate(shared, 10);
        ask(gate(shared, 1_000), "busy", 500);
        time.runFor(Duration.ofMillis(9_950));
        assertThat(served).isEqualTo(Map.of("busy", 100));
        ask(quiet, "quiet");
        time.runFor(Duration.ofMillis(151));
        assertThat(told)
                .as("its turn comes at the next lease but one, at the latest")
                .contains("quiet after 150");
    }

    @Test
    void keepsNothingForAGateWhoseRequestsWereGivenUp() {
        SharedRate shared = rate(10, 1);
        Gate busy = gate(shared, 1_000);
        ask(busy, "busy", 500);
        time.runFor(Duration.ofMillis(150));
        Runnable givesUp = ask(gate(shared, 10), "impatient");
        time.runFor(Duration.ofMillis(100));
        givesUp.run();
        time.runFor(Duration.ofMillis(60));
        assertThat(told)
                .as("a claim that nobody comes for is void a moment later")
                .endsWith("impatient INTERRUPTED", "busy after 301");
        time.runFor(Duration.ofMillis(9_700));
        assertThat(served).as("and costs that moment once").isEqualTo(Map.of("busy", 101));
    }

    @Test
    void keepsNothingForAGateWithoutAPermit() {
        SharedRate shared = rate(10, 1);
        Gate narrow = gate(shared, 1);
        ask(narrow, "narrow", 10);
        ask(gate(shared, 1_000), "wide", 500);
        time.runFor(Duration.ofMillis(10_010));
        assertThat(served).as("its one connection is out").isEqualTo(Map.of("narrow", 1, "wide", 100));
        narrow.release();
        time.runFor(Duration.ofMillis(200));
        assertThat(served).containsEntry("narrow", 2);
    }

    @Test
    void takesNothingFromTheRateForALeaseThatIsNotGiven() {
        SharedRate shared = rate(10, 1);
        Gate slow = gate(shared, 10);
        slow.setRate(1, 1, shared);
        ask(slow, "slow", 5);
        ask(gate(shared, 1_000), "other", 500);
        time.runFor(Duration.ofSeconds(10));
        assertThat(served)
                .as("what its own rate holds back, the others have")
                .isEqualTo(Map.of("slow", 5, "other", 96));
    }

    @Test
    void keepsItsOwnRateAsItStandsWhenTheSharedOneComesAndGoes() {
        Gate gate = new Gate(time, OPEN, () -> {});
        gate.resize(100);
        gate.setRate(10, 2, null);
        ask(gate, "a", 10);
        gate.setRate(10, 2, rate(1, 1));
        assertThat(served).as("no second burst").isEqualTo(Map.of("a", 2));
        time.runFor(Duration.ofMillis(2_500));
        assertThat(served).as("one at once, then one a second").isEqualTo(Map.of("a", 5));
        gate.setRate(10, 2, null);
        assertThat(served).as("the burst, saved up meanwhile").isEqualTo(Map.of("a", 7));
        gate.setRate(NONE, 1, null);
        assertThat(served).isEqualTo(Map.of("a", 10));
    }

    @Test
    void holdsAgainstManyThreadsAtManyGatesAndStrandsNone() throws Exception {
        int gates = 4;
        int rounds = 150;
        double perSecond = 2_000;
        try (SystemTime clock = new SystemTime();
                var threads = Executors.newThreadPerTaskExecutor(
                        Thread.ofPlatform().daemon().factory())) {
            long began = clock.nanoTime();
            SharedRate shared = new SharedRate(perSecond, 20, began);
            List<Future<?>> running = new ArrayList<>();
            for (int g = 0; g < gates; g++) {
                Gate gate = new Gate(clock, OPEN, () -> {});
                gate.resize(2);
                gate.setRate(NONE, 1, shared);
                for (int t = 0; t < 3; t++) {
                    running.add(threads.submit(() -> {
                        for (int i = 0; i < rounds; i++) {
                            gate.acquire(Long.MAX_VALUE);
                            gate.release();
                        }
                        return null;
                    }));
                }
            }
            for (Future<?> each : running) {
                each.get(50, TimeUnit.SECONDS);
            }
            double seconds = (clock.nanoTime() - began) / 1e9;
            assertThat(gates * 3 * rounds).as("leases in %.3f s", seconds).isLessThanOrEqualTo((int)
                    (20 + perSecond * seconds));
        }
    }
}
