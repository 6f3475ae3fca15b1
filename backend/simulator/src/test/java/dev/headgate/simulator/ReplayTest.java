package dev.headgate.simulator;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.InstanceOfAssertFactories.LONG;

import dev.headgate.engine.governor.PolicySet;
import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.recording.LeaseRecorder;
import dev.headgate.engine.recording.Recording;
import dev.headgate.engine.recording.Recording.Arrival;
import dev.headgate.engine.time.VirtualTime;
import dev.headgate.spi.Limits;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PoolView;
import dev.headgate.spi.WhenExhausted;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class ReplayTest {

    private static final long MS = 1_000_000;
    private static final long MINUTE = Duration.ofMinutes(1).toNanos();

    @Test
    void underTheSameRoomTheReplayIsWhatHappened() {
        Replay.Outcome bank = replay(recorded("bank", 200, 8), fixed(20));
        assertThat(bank.replayed().refused()).isZero();
        assertThat(bank.replayed().latency().meanNanos())
                .isCloseTo(bank.actual().latency().meanNanos(), Percentage.withPercentage(3));
        assertThat(bank.replayed().waits().percentileNanos(99)).isLessThan(MS);
        assertThat(bank.seconds()).hasSize(60);
        assertThat(bank.seconds().stream().mapToLong(Replay.Second::arrivals).sum())
                .isCloseTo(12_000, within(400L));
    }

    /** Of 25 leases 24 take 2 ms and one takes 40, so each second's mean lies far below its p99. */
    @Test
    void aSecondTellsTheTailBesideTheMean() {
        List<Arrival> arrivals = new ArrayList<>();
        for (int i = 0; i < 6_000; i++) {
            long took = (i % 25 == 0 ? 40 : 2) * MS;
            arrivals.add(new Arrival(10L * i * MS, 0, took, took, 1));
        }
        Replay.Outcome bank = replay(new Recording("bank", VirtualTime.EPOCH, MINUTE, arrivals, List.of()), fixed(20));
        Replay.Second second = bank.seconds().get(30);
        assertThat(second.actualMeanNanos()).isCloseTo(3.52 * MS, Percentage.withPercentage(2));
        assertThat(second.actualP95Nanos()).isCloseTo(2.0 * MS, Percentage.withPercentage(2));
        assertThat(second.actualP99Nanos()).isCloseTo(40.0 * MS, Percentage.withPercentage(2));
        assertThat(second.p95Nanos()).isCloseTo(2.0 * MS, Percentage.withPercentage(2));
        assertThat(second.p99Nanos()).isCloseTo(40.0 * MS, Percentage.withPercentage(2));
    }

    @Test
    void aTighterSetMakesThemWaitAndItsQueueRefuseThem() {
        // 200 a second for 8 ms each keep 1.6 connections busy; one can serve 125 a second
        Replay.Outcome bank = replay(recorded("bank", 200, 8), fixed(1));
        assertThat(bank.replayed().mostSize()).isEqualTo(1);
        assertThat(bank.replayed().waits().percentileNanos(50)).isGreaterThan(300 * MS);
        assertThat(bank.replayed().refused() / 58.0).isCloseTo(75, within(10.0));
        assertThat(bank.actual().refused()).isZero();
        assertThat(bank.replayed().meanSize()).isCloseTo(1, within(0.01));
    }

    @Test
    void arrivalsThatWereRefusedAreAskedAgainWithTheWorkOfOthers() {
        List<Arrival> arrivals = new ArrayList<>();
        for (int i = 0; i < 6_000; i++) {
            arrivals.add(
                    i % 2 == 0 ? new Arrival(i * 10 * MS, 0, 5 * MS, 5 * MS, 1) : new Arrival(i * 10 * MS, 0, 0, 0, 0));
        }
        Replay.Outcome bank = replay(new Recording("bank", VirtualTime.EPOCH, MINUTE, arrivals, List.of()), fixed(10));
        assertThat(bank.actual().refused()).isEqualTo(2_900);
        assertThat(bank.replayed().refused()).isZero();
        assertThat(bank.replayed().latency().count()).isCloseTo(5_800, within(5L));
    }

    @Test
    void findsInTheRecordHowLoadSlowsTheServerAndScalesByIt() {
        // the record: 10 ms alone and 2 ms more for each further busy lease, at loads between 1 and 8
        List<Arrival> arrivals = new ArrayList<>();
        for (long at = 0; at < MINUTE; ) {
            double busy = 4.5 + 3.5 * Math.sin(at / 4e9);
            long took = Math.round((10 + 2 * (busy - 1)) * MS);
            arrivals.add(new Arrival(at, 0, took, took, 1));
            at += Math.max(1, Math.round(took / busy));
        }
        Recording recording = new Recording("bank", VirtualTime.EPOCH, MINUTE, arrivals, List.of());
        LoadLine line = LoadLine.of(List.of(recording));
        assertThat(line.isFlat()).isFalse();
        assertThat(line.slowdownPerLease()).isCloseTo(0.25, within(0.05));
        Replay.Outcome narrow = replay(recording, fixed(2));
        assertThat(narrow.actual().latency().meanNanos())
                .as("17 ms at the middle; more requests fall into the busy times")
                .isCloseTo(19.4 * MS, Percentage.withPercentage(3));
        assertThat(narrow.replayed().latency().meanNanos())
                .as("two busy at once: 12 ms")
                .isCloseTo(12 * MS, Percentage.withPercentage(10));
    }

    @Test
    void takesAStallOfTheServerForWhatItIs() {
        // 10 ms each whatever the load, but for a second in every ten, when the server takes ten times as long
        SplittableRandom random = new SplittableRandom(7);
        List<Arrival> arrivals = new ArrayList<>();
        for (long at = 0; at < MINUTE; at += Math.round(-Math.log(1 - random.nextDouble()) * 5 * MS)) {
            long took = (at / 1_000_000_000L) % 10 == 3 ? 100 * MS : 10 * MS;
            arrivals.add(new Arrival(at, 0, took, took, 1));
        }
        LoadLine line = LoadLine.of(List.of(new Recording("bank", VirtualTime.EPOCH, MINUTE, arrivals, List.of())));
        assertThat(line.factor(2, 4)).isLessThan(1.3);
    }

    @Test
    void isFlatWhereTheRecordDoesNotTell() {
        assertThat(LoadLine.of(List.of(recorded("bank", 20, 3))).isFlat()).isTrue();
    }

    @Test
    void domainsOfOneDatabaseCompeteInTheReplayAsTheyWould() {
        List<Replay.Domain> domains = List.of(
                new Replay.Domain(
                        recorded("gold", 150, 20),
                        set(fixed(20), view -> Limits.unbounded().withGuaranteed(4))),
                new Replay.Domain(recorded("bronze", 400, 20), set(fixed(20))));
        Replay.Result result = Replay.of("main", 8, PolicySet.empty(), domains, 1);
        Replay.Figures gold = result.domains().getFirst().replayed();
        Replay.Figures bronze = result.domains().getLast().replayed();
        assertThat(gold.refused()).isZero();
        assertThat(gold.waits().percentileNanos(99)).isLessThan(bronze.waits().percentileNanos(50));
        assertThat(gold.meanSize() + bronze.meanSize()).isLessThanOrEqualTo(8.01);
    }

    @Test
    void givesTheSameAnswerTwiceAndClosesItsPolicies() {
        AtomicInteger closed = new AtomicInteger();
        Policy policy = new Policy() {
            @Override
            public Limits limits(PoolView pool) {
                return Limits.unbounded().withCeiling(2);
            }

            @Override
            public void close() {
                closed.incrementAndGet();
            }
        };
        Replay.Outcome once = replay(recorded("bank", 200, 8), policy);
        Replay.Outcome twice = replay(recorded("bank", 200, 8), policy);
        assertThat(once.seconds()).isEqualTo(twice.seconds());
        assertThat(closed).hasValue(2);
    }

    /** A policy that grants little until it has seen enough: the figures are those of the time after. */
    @Test
    void whatAPolicyLearnsInTheLeadIsNotCounted() {
        Policy learning = new Policy() {
            @Override
            public Limits limits(PoolView pool) {
                boolean hasLearnt = pool.time().isAfter(VirtualTime.EPOCH.plusSeconds(20));
                return Limits.unbounded().withCeiling(hasLearnt ? 20 : 1);
            }
        };
        Replay.Result result = Replay.of(
                "main",
                40,
                PolicySet.empty(),
                List.of(new Replay.Domain(recorded("bank", 100, 8), set(learning))),
                Duration.ofSeconds(35),
                1,
                share -> {});

        Replay.Outcome bank = result.domains().getFirst();
        assertThat(result.settlingSeconds()).isEqualTo(25);
        assertThat(bank.seconds()).hasSize(60);
        assertThat(bank.replayed().waits().percentileNanos(99)).isLessThan(MS);
        assertThat(bank.actual().arrivals()).isCloseTo(3_500, within(200L));
        assertThat(replay(recorded("bank", 100, 8), learning).replayed().waits().percentileNanos(99))
                .as("without a lead")
                .isGreaterThan(10 * MS);
    }

    @Test
    void hasNothingToSayOfAnEmptyRecord() {
        Replay.Outcome bank = replay(new Recording("bank", VirtualTime.EPOCH, MINUTE, List.of(), List.of()), fixed(2));
        assertThat(bank.replayed().arrivals()).isZero();
        assertThat(bank.replayed().latency().count()).isZero();
    }

    /** Under the demo's load the process ran out of memory: what is kept must be figures, and not every window's histograms. */
    @Test
    void fiveMinutesOfThreeDomainsAreReplayedInAFewMegabytes() {
        long length = Duration.ofMinutes(5).toNanos();
        List<Recording> recordings = List.of(
                recorded("auction", length, 150, 8),
                recorded("bank", length, 80, 5),
                recorded("gallery", length, 10, 60));
        long before = heapInUse();
        List<Long> held = new ArrayList<>();
        Policy measuring = measuring(held, before);
        List<Replay.Domain> domains = recordings.stream()
                .map(recording -> new Replay.Domain(recording, set(measuring)))
                .toList();
        Replay.Result result = Replay.of("main", 40, PolicySet.empty(), domains, 1);

        assertThat(held).singleElement(as(LONG)).isLessThan(24L << 20);
        assertThat(result.domains()).allSatisfy(outcome -> {
            assertThat(outcome.seconds()).hasSize(300);
            assertThat(outcome.replayed().latency().count()).isPositive();
        });
    }

    /**
     * As many requests as the service replays at most, every tenth of them refused: of the recorders' memory one copy is made, and
     * beside it there are figures.
     */
    @Test
    void theLargestReplayTakesTwelveMegabytes() {
        int each = 62_500;
        long length = Duration.ofMinutes(5).toNanos();
        VirtualTime past = new VirtualTime();
        MemoryAccount account =
                new MemoryAccount(16L << 20, List.of(new MemoryAccount.Portion(LeaseRecorder.HOLDER, 0, 1, 1, 1)));
        Map<String, LeaseRecorder> recorders = new LinkedHashMap<>();
        for (String domain : List.of("auction", "bank", "gallery", "report")) {
            recorders.put(domain, new LeaseRecorder(past, account.share(LeaseRecorder.HOLDER, domain)));
        }
        for (int i = 0; i < each; i++) {
            boolean refused = i % 10 == 0;
            recorders.values().forEach(recorder -> {
                if (refused) {
                    recorder.refused(past.nanoTime(), MS);
                } else {
                    recorder.lease(past.nanoTime(), 0, 2 * MS, 2 * MS, 1);
                }
            });
            past.advance(length / each);
        }
        assertThat(recorders.values())
                .allSatisfy(recorder ->
                        assertThat(recorder.count(Duration.ofMinutes(5))).isEqualTo(each));
        long before = heapInUse();
        List<Long> held = new ArrayList<>();
        Policy measuring = measuring(held, before);
        List<Replay.Domain> domains = new ArrayList<>();
        recorders.forEach((domain, recorder) ->
                domains.add(new Replay.Domain(recorder.last(domain, Duration.ofMinutes(5)), set(measuring))));
        Replay.Result result = Replay.of("main", 40, PolicySet.empty(), domains, 1);

        assertThat(held).singleElement(as(LONG)).isLessThan(12L << 20);
        assertThat(result.domains()).allSatisfy(outcome -> {
            assertThat(outcome.actual().arrivals()).isCloseTo(each * 298L / 300, within(1L));
            assertThat(outcome.actual().refused()).isCloseTo(each * 298L / 3_000, within(1L));
        });
        recorders.values().forEach(LeaseRecorder::close);
    }

    /** A ceiling of 2. Measures once, near the end of five minutes, what is held more than before. */
    private static Policy measuring(List<Long> held, long before) {
        return pool -> {
            if (held.isEmpty() && pool.time().isAfter(VirtualTime.EPOCH.plusSeconds(299))) {
                held.add(heapInUse() - before);
            }
            return Limits.unbounded().withCeiling(2);
        };
    }

    private static long heapInUse() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private static Replay.Outcome replay(Recording recording, Policy... policies) {
        return Replay.of("main", 40, PolicySet.empty(), List.of(new Replay.Domain(recording, set(policies))), 1)
                .domains()
                .getFirst();
    }

    private static PolicySet set(Policy... policies) {
        PolicySet.Member[] members = new PolicySet.Member[policies.length];
        for (int i = 0; i < policies.length; i++) {
            members[i] = new PolicySet.Member("policy-" + i, policies[i]);
        }
        return PolicySet.of(1, WhenExhausted.queue(1_000, 200), members);
    }

    private static Policy fixed(int ceiling) {
        return view -> Limits.unbounded().withCeiling(ceiling);
    }

    private static Recording recorded(String domain, double perSecond, double meanMs) {
        return recorded(domain, MINUTE, perSecond, meanMs);
    }

    /** Arrivals without a memory, each for so long on average. */
    private static Recording recorded(String domain, long lengthNanos, double perSecond, double meanMs) {
        SplittableRandom random = new SplittableRandom(domain.hashCode());
        List<Arrival> arrivals = new ArrayList<>();
        long at = 0;
        while (at < lengthNanos) {
            long took = Math.round(meanMs * MS * (0.5 + random.nextDouble()));
            arrivals.add(new Arrival(at, 0, took, took, 1));
            at += Math.round(-Math.log(1 - random.nextDouble()) / perSecond * 1e9);
        }
        return new Recording(domain, VirtualTime.EPOCH, lengthNanos, arrivals, List.of());
    }
}
