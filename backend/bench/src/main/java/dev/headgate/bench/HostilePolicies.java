package dev.headgate.bench;

import dev.headgate.engine.Lease;
import dev.headgate.engine.Pool;
import dev.headgate.engine.governor.PolicySet;
import dev.headgate.spi.Limits;
import dev.headgate.spi.Policy;
import dev.headgate.spi.WhenExhausted;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Four domains on one database, each with more callers than connections. Three of them get a policy that blocks for ever, one that
 * always throws, and one that allocates without end up to its deadline. Measures how long borrowers wait in every
 * domain, before and meanwhile.
 */
final class HostilePolicies {

    private static final int CONNECTIONS = 3;
    private static final int CALLERS = 6;

    /** Hold times and pauses: 1 to 3 ms, at random, so that callers do not synchronize. */
    private static final long LEAST_NANOS = 1_000_000;

    private static final long MOST_NANOS = 3_000_000;
    private static final int ROUNDS = 7;
    private static final long SECONDS = 5;

    /** Just within the deadline of 50 ms, so that the policy is never quarantined and runs at every step. */
    private static final long ALLOCATE_NANOS = 40_000_000;

    private static final String P99 = "p99 of a borrow, ms";

    private HostilePolicies() {}

    static void measure(Sheet sheet) throws Exception {
        Map<String, Policy> hostile = new LinkedHashMap<>();
        hostile.put("bystander", view -> calm());
        hostile.put("blocks", view -> awaitForEver());
        hostile.put("throws", view -> {
            throw new IllegalStateException("always");
        });
        hostile.put("allocates", view -> allocate());
        try (Subject subject = new Subject(40)) {
            Map<String, Pool> pools = new LinkedHashMap<>();
            for (String domain : hostile.keySet()) {
                pools.put(domain, subject.headgate(domain, CONNECTIONS));
            }
            borrow(pools, 3);
            long revision = 2;
            for (int round = 0; round < ROUNDS; round++) {
                note(sheet, "before", borrow(pools, SECONDS));
                revision = swap(pools, hostile, revision);
                note(sheet, "during", borrow(pools, SECONDS));
                for (Pool pool : pools.values()) {
                    pool.swap(Subject.fixed(revision++, CONNECTIONS, CONNECTIONS))
                            .toCompletableFuture()
                            .get(10, TimeUnit.SECONDS);
                }
            }
            for (String domain : pools.keySet()) {
                sheet.entry(domain, "during").timesRunByRun(sheet.entry(domain, "before"), P99, "at most 1.1");
            }
        }
    }

    private static Limits calm() {
        return Limits.unbounded()
                .withFloor(CONNECTIONS)
                .withCeiling(CONNECTIONS)
                .because("calm");
    }

    private static Limits awaitForEver() {
        CountDownLatch never = new CountDownLatch(1);
        while (true) {
            try {
                never.await();
            } catch (InterruptedException e) {
                // ignores the interrupt
            }
        }
    }

    private static Limits allocate() {
        long end = System.nanoTime() + ALLOCATE_NANOS;
        List<byte[]> kept = new ArrayList<>();
        while (System.nanoTime() < end) {
            kept.add(new byte[16 << 10]);
            if (kept.size() > 1_000) {
                kept.clear();
            }
        }
        return calm();
    }

    /** Adds its hostile policy to every domain's set. Returns the next revision. */
    private static long swap(Map<String, Pool> pools, Map<String, Policy> hostile, long from) throws Exception {
        long revision = from;
        for (Map.Entry<String, Pool> each : pools.entrySet()) {
            Policy policy = hostile.getOrDefault(each.getKey(), view -> calm());
            PolicySet set = PolicySet.of(
                    revision++,
                    WhenExhausted.queue(60_000, 100_000),
                    new PolicySet.Member("calm", view -> calm()),
                    new PolicySet.Member(each.getKey(), policy));
            each.getValue().swap(set).toCompletableFuture().get(10, TimeUnit.SECONDS);
        }
        return revision;
    }

    private static void note(Sheet sheet, String when, Map<String, Histogram> waits) {
        waits.forEach((domain, histogram) ->
                sheet.entry(domain, when).add(P99, "%.2f", histogram.getValueAtPercentile(99) / 1e6));
    }

    private static Map<String, Histogram> borrow(Map<String, Pool> pools, long seconds) throws Exception {
        Map<String, Histogram> waits = new LinkedHashMap<>();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        try (var threads =
                Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
            List<Future<?>> all = new ArrayList<>();
            for (Map.Entry<String, Pool> each : pools.entrySet()) {
                Histogram histogram = new ConcurrentHistogram(60_000_000_000L, 3);
                waits.put(each.getKey(), histogram);
                for (int i = 0; i < CALLERS; i++) {
                    SplittableRandom random = new SplittableRandom(i);
                    all.add(threads.submit(() -> {
                        while (System.nanoTime() < end) {
                            long began = System.nanoTime();
                            try (Lease lease = Subject.borrow(each.getValue())) {
                                histogram.recordValue(System.nanoTime() - began);
                                LockSupport.parkNanos(lease, random.nextLong(LEAST_NANOS, MOST_NANOS));
                            }
                            LockSupport.parkNanos(random.nextLong(LEAST_NANOS, MOST_NANOS));
                        }
                        return null;
                    }));
                }
            }
            for (Future<?> each : all) {
                each.get();
            }
        }
        return waits;
    }
}
