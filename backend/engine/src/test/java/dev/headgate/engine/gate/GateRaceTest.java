package dev.headgate.engine.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.gate.Rules.Passage;
import dev.headgate.engine.time.SystemTime;
import dev.headgate.spi.WhenExhausted;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The gate under real threads: what only races can break. */
@Timeout(60)
class GateRaceTest {

    private static final int THREADS = 16;
    private static final int ROUNDS = 3_000;
    private static final WhenExhausted QUEUE = WhenExhausted.queue(60_000, 10_000);
    private static final WhenExhausted FAIL = new WhenExhausted(WhenExhausted.Mode.FAIL, 60_000_000_000L, 10_000);
    private static final Rules OPEN = new Rules(Passage.OPEN, QUEUE, false);
    private static final Rules PAUSED = new Rules(Passage.PAUSED, QUEUE, false);

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void losesAndDoublesNoPermitWhileThreadsTimeOutAndTheGovernorChangesAll(long seed) throws Exception {
        try (SystemTime time = new SystemTime()) {
            Gate gate = new Gate(time, OPEN, () -> {});
            int most = 6;
            gate.resize(most);
            AtomicInteger holders = new AtomicInteger();
            AtomicInteger tooMany = new AtomicInteger();
            AtomicInteger working = new AtomicInteger(THREADS);
            try (var threads =
                    Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
                List<Future<?>> all = new ArrayList<>();
                for (int t = 0; t < THREADS; t++) {
                    Random random = new Random(seed * 1_000 + t);
                    all.add(threads.submit(() -> {
                        try {
                            for (int i = 0; i < ROUNDS; i++) {
                                long patience = random.nextInt(8) == 0 ? random.nextInt(200_000) : 60_000_000_000L;
                                if (admitted(gate, patience, random.nextInt(4) == 0)) {
                                    if (holders.incrementAndGet() > most) {
                                        tooMany.incrementAndGet();
                                    }
                                    if (random.nextInt(4) == 0) {
                                        Thread.yield();
                                    }
                                    holders.decrementAndGet();
                                    if (!gate.payDebt()) {
                                        gate.release();
                                    }
                                }
                            }
                        } finally {
                            working.decrementAndGet();
                        }
                        return null;
                    }));
                }
                all.add(threads.submit(() -> {
                    Random random = new Random(seed);
                    while (working.get() > 0) {
                        gate.resize(1 + random.nextInt(most));
                        gate.settle();
                        switch (random.nextInt(20)) {
                            case 0 -> gate.setRules(PAUSED);
                            case 1 -> {
                                gate.setRules(new Rules(Passage.OPEN, FAIL, true));
                                gate.refuseWaiters();
                            }
                            case 2 -> gate.setRate(1e5, 1 + random.nextInt(2), null);
                            case 3 -> gate.setRate(Double.POSITIVE_INFINITY);
                            default -> gate.setRules(OPEN);
                        }
                        Thread.yield();
                    }
                    return null;
                }));
                for (Future<?> each : all) {
                    each.get(50, TimeUnit.SECONDS);
                }
            }
            gate.resize(4);
            gate.settle();
            assertThat(tooMany).hasValue(0);
            assertThat(gate.debt()).isZero();
            assertThat(gate.free()).isEqualTo(4);
            assertThat(gate.waiting()).isZero();
            assertThat(gate.inUse()).isZero();
        }
    }

    private static boolean admitted(Gate gate, long patience, boolean asynchronously) throws Exception {
        if (!asynchronously) {
            try {
                gate.acquire(patience);
                return true;
            } catch (Refusal refusal) {
                return false;
            }
        }
        CountDownLatch told = new CountDownLatch(1);
        AtomicReference<Boolean> outcome = new AtomicReference<>();
        gate.acquireAsync(patience, new Gate.Listener() {
            @Override
            public void admitted(long waitedNanos) {
                assertThat(outcome.getAndSet(true)).isNull();
                told.countDown();
            }

            @Override
            public void refused(Refusal refusal) {
                assertThat(outcome.getAndSet(false)).isNull();
                told.countDown();
            }
        });
        assertThat(told.await(50, TimeUnit.SECONDS)).isTrue();
        return outcome.get();
    }

    @Test
    void starvesNobodyWhileOthersHurry() throws Exception {
        try (SystemTime time = new SystemTime()) {
            Gate gate = new Gate(time, OPEN, () -> {});
            gate.resize(1);
            AtomicInteger patientRounds = new AtomicInteger();
            AtomicInteger running = new AtomicInteger(1);
            try (var threads =
                    Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
                List<Future<?>> hurrying = new ArrayList<>();
                for (int t = 0; t < 4; t++) {
                    hurrying.add(threads.submit(() -> {
                        while (running.get() > 0) {
                            gate.acquire(Long.MAX_VALUE);
                            gate.release();
                        }
                        return null;
                    }));
                }
                Future<?> patient = threads.submit(() -> {
                    for (int i = 0; i < 200; i++) {
                        gate.acquire(Long.MAX_VALUE);
                        gate.release();
                        patientRounds.incrementAndGet();
                    }
                    running.set(0);
                    return null;
                });
                patient.get(50, TimeUnit.SECONDS);
                for (Future<?> each : hurrying) {
                    each.get(50, TimeUnit.SECONDS);
                }
            }
            assertThat(patientRounds).hasValue(200);
        }
    }

    @Test
    void anInterruptEndsTheWaitAndIsPassedOn() throws Exception {
        try (SystemTime time = new SystemTime()) {
            Gate gate = new Gate(time, new Rules(Passage.OPEN, WhenExhausted.queue(60_000, 100), false), () -> {});
            AtomicReference<Refusal> refusal = new AtomicReference<>();
            AtomicReference<Boolean> flag = new AtomicReference<>();
            Thread waiter = Thread.ofPlatform().start(() -> {
                try {
                    gate.acquire(Long.MAX_VALUE);
                } catch (Refusal why) {
                    refusal.set(why);
                    flag.set(Thread.currentThread().isInterrupted());
                }
            });
            waiter.interrupt();
            waiter.join(10_000);
            assertThat(refusal.get().why()).isEqualTo(Refusal.Why.INTERRUPTED);
            assertThat(flag.get()).isTrue();
            assertThat(gate.waiting()).isZero();
        }
    }
}
