package dev.headgate.engine.governor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.governor.Decision.Kind;
import dev.headgate.engine.time.VirtualTime;
import dev.headgate.spi.Limits;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PoolView;
import dev.headgate.spi.WhenExhausted;
import dev.headgate.spi.Window;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How a set that has just come learns what was measured before, and what a policy costs the others that fails at it. */
class LearningTest {

    private static final long MS = 1_000_000;
    private static final long DEADLINE = GuardedRunner.DEADLINE_NANOS;
    private static final int RECORDED = 50;

    private final VirtualTime time = new VirtualTime();
    private final List<Decision> decisions = new ArrayList<>();

    /** What the policy that is being called takes, by the clock and of the processor. */
    private long tookNanos;

    private long burntNanos;

    /** The ways in which a set comes to be shown the past. */
    enum Coming {
        SWAP,
        SHADOW,
        PLAN;

        void have(Governor governor, PolicySet set) {
            switch (this) {
                case SWAP -> governor.swap("bank", set);
                case SHADOW -> governor.shadow("bank", set);
                case PLAN -> governor.ask("bank", set);
            }
        }
    }

    /** A guarded runner in virtual time: a call takes as long as its policy says, and is abandoned at the deadline. */
    private final PolicyRunner scripted = calls -> {
        for (PolicyCall call : calls) {
            tookNanos = 0;
            burntNanos = 0;
            call.run();
            call.charge(burntNanos);
            if (tookNanos > DEADLINE) {
                call.abandon();
            }
            time.standStill(Math.min(tookNanos, DEADLINE));
        }
    };

    /** Does something at every window that it is shown. */
    private static final class Learner implements Policy {
        private final Runnable deed;
        private int shown;

        Learner(Runnable deed) {
            this.deed = deed;
        }

        @Override
        public Limits limits(PoolView pool) {
            return Limits.unbounded().withCeiling(8);
        }

        @Override
        public void observe(Window window) {
            shown++;
            deed.run();
        }
    }

    private Governor governor(PolicyRunner runner) {
        return new Governor(
                "main",
                "test",
                time,
                () -> 20,
                runner,
                new GovernorListener() {
                    @Override
                    public void decided(Decision decision) {
                        decisions.add(decision);
                    }
                },
                () -> {});
    }

    private SimulatedPool open(Governor governor, String domain) {
        SimulatedPool pool = new SimulatedPool(domain, time, governor);
        governor.add(pool, set(1, new Learner(() -> {})));
        governor.step();
        return pool;
    }

    private void recordWindows(Governor governor) {
        for (int i = 0; i <= RECORDED; i++) {
            time.advance(Governor.WINDOW_NANOS);
            governor.step();
        }
    }

    private static PolicySet set(long revision, Policy... policies) {
        PolicySet.Member[] members = new PolicySet.Member[policies.length];
        for (int i = 0; i < policies.length; i++) {
            members[i] = new PolicySet.Member("policy-" + i, policies[i]);
        }
        return PolicySet.of(revision, WhenExhausted.queue(60_000, 100), members);
    }

    @ParameterizedTest
    @EnumSource
    void aPolicyThatBlocksSeesOneWindowAndCostsOneDeadline(Coming coming) {
        Governor governor = governor(scripted);
        open(governor, "bank");
        recordWindows(governor);
        Learner sound = new Learner(() -> {});
        Learner stuck = new Learner(() -> tookNanos = 60_000 * MS);
        long before = time.nanoTime();

        coming.have(governor, set(2, sound, stuck));
        governor.step();

        assertThat(stuck.shown).isEqualTo(1);
        assertThat(sound.shown).isEqualTo(RECORDED);
        assertThat(time.nanoTime() - before).isEqualTo(DEADLINE);
        assertThat(decisions)
                .filteredOn(decision -> decision.kind() == Kind.QUARANTINED)
                .singleElement()
                .satisfies(decision -> {
                    assertThat(decision.domain()).isEqualTo("bank");
                    assertThat(decision.policy()).endsWith("policy-1");
                    assertThat(decision.message()).contains("did not answer within 50 ms and is not asked any more");
                });
        recordWindows(governor);
        assertThat(stuck.shown).as("later, too").isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void aPolicyThatDawdlesWithinItsDeadlineCostsLessThanTwo(Coming coming) {
        Governor governor = governor(scripted);
        open(governor, "bank");
        recordWindows(governor);
        Learner sound = new Learner(() -> {});
        Learner slow = new Learner(() -> tookNanos = DEADLINE - 5 * MS);
        long before = time.nanoTime();

        coming.have(governor, set(2, slow, sound));
        governor.step();

        assertThat(time.nanoTime() - before).isLessThan(2 * DEADLINE);
        assertThat(slow.shown).isEqualTo(2);
        assertThat(sound.shown).isEqualTo(RECORDED);
        assertThat(decisions).noneMatch(decision -> decision.kind() == Kind.QUARANTINED);
    }

    @ParameterizedTest
    @EnumSource
    void aPolicyThatThrowsSeesEveryWindowAndIsToldOnce(Coming coming) {
        Governor governor = governor(scripted);
        open(governor, "bank");
        recordWindows(governor);
        Learner failing = new Learner(() -> {
            throw new IllegalStateException("out of order");
        });

        coming.have(governor, set(2, failing));
        governor.step();

        assertThat(failing.shown).isEqualTo(RECORDED);
        assertThat(decisions)
                .filteredOn(decision -> decision.kind() == Kind.DEGRADED)
                .singleElement()
                .satisfies(decision -> assertThat(decision.message()).contains("out of order"));
    }

    @ParameterizedTest
    @EnumSource
    void aSiblingIsServedWithinADeadlineOfEachPolicyThatBlocks(Coming coming) {
        Governor governor = governor(scripted);
        open(governor, "bank");
        SimulatedPool shop = open(governor, "shop");
        recordWindows(governor);
        for (int i = 0; i < 3; i++) {
            shop.request(10 * MS);
        }
        long asked = time.nanoTime();

        coming.have(
                governor,
                set(
                        2,
                        new Learner(() -> tookNanos = 60_000 * MS),
                        new Learner(() -> burntNanos = tookNanos = 60_000 * MS)));
        governor.step();

        assertThat(shop.gate().inUse()).as("leases of the sibling").isPositive();
        assertThat(time.nanoTime() - asked).isLessThanOrEqualTo(2 * DEADLINE);
    }

    /** The ways in which a database's set comes to be shown the past of all its domains together. */
    enum ComingToADatabase {
        SWAP,
        PLAN;

        void have(Governor governor, PolicySet set) {
            switch (this) {
                case SWAP -> governor.swap(set);
                case PLAN -> governor.ask(set);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aDatabasesSetIsShownTheSumOfItsDomains(ComingToADatabase coming) {
        Governor governor = governor(scripted);
        SimulatedPool bank = open(governor, "bank");
        for (int i = 0; i < 10; i++) {
            time.advance(Governor.WINDOW_NANOS);
            governor.step();
        }
        SimulatedPool shop = open(governor, "shop"); // its record begins later
        for (int i = 0; i < 20; i++) {
            bank.request(10 * MS);
            shop.request(10 * MS);
            shop.request(10 * MS);
            time.advance(Governor.WINDOW_NANOS);
            governor.step();
        }
        List<Window> shown = new ArrayList<>();
        Policy learner = new Policy() {
            @Override
            public Limits limits(PoolView pool) {
                return Limits.unbounded();
            }

            @Override
            public void observe(Window window) {
                shown.add(window);
            }
        };

        coming.have(governor, set(1, learner));
        governor.step();

        assertThat(shown)
                .hasSize(30)
                .isSortedAccordingTo(Comparator.comparingLong(Window::startNanos))
                .allSatisfy(window -> assertThat(window.connections()).isEmpty());
        assertThat(shown.subList(0, 10))
                .allSatisfy(window -> assertThat(window.arrivals()).isZero());
        assertThat(shown.subList(10, 30))
                .allSatisfy(window -> assertThat(window.arrivals()).isEqualTo(3));
        assertThat(shown.stream().mapToLong(window -> window.waits().count()).sum())
                .isEqualTo(60);
    }

    @ParameterizedTest
    @EnumSource
    void aDatabasesPolicyThatBlocksSeesOneWindowAndCostsOneDeadline(ComingToADatabase coming) {
        Governor governor = governor(scripted);
        open(governor, "bank");
        recordWindows(governor);
        Learner stuck = new Learner(() -> tookNanos = 60_000 * MS);
        long before = time.nanoTime();

        coming.have(governor, set(1, stuck));
        governor.step();

        assertThat(stuck.shown).isEqualTo(1);
        assertThat(time.nanoTime() - before).isEqualTo(DEADLINE);
        assertThat(decisions)
                .filteredOn(decision -> decision.kind() == Kind.QUARANTINED)
                .singleElement()
                .satisfies(decision -> assertThat(decision.message())
                        .contains("did not answer within 50 ms and is not asked any more"));
    }

    @Test
    void aShadowThatFailsAtALiveWindowIsToldToo() {
        Governor governor = governor(scripted);
        open(governor, "bank");
        Learner stuck = new Learner(() -> tookNanos = 60_000 * MS);
        governor.shadow("bank", set(2, stuck));
        governor.step();
        recordWindows(governor);

        assertThat(stuck.shown).isEqualTo(1);
        assertThat(decisions)
                .filteredOn(decision -> decision.kind() == Kind.QUARANTINED)
                .singleElement()
                .satisfies(decision -> assertThat(decision.policy()).isEqualTo("shadow/policy-0"));
    }

    /** Real threads: that each one left behind is one too many is the point. */
    @Test
    @Timeout(60)
    void leavesOneThreadBehindForAPolicyThatBlocks() {
        CountDownLatch end = new CountDownLatch(1);
        AtomicInteger stuck = new AtomicInteger();
        try (GuardedRunner runner = new GuardedRunner("learning")) {
            Governor governor = governor(runner);
            open(governor, "bank");
            recordWindows(governor);
            for (Coming coming : Coming.values()) {
                stuck.set(0);
                coming.have(governor, set(2, new Learner(() -> {
                    stuck.incrementAndGet();
                    awaitWhateverHappens(end);
                })));
                governor.step();
                assertThat(stuck).as("threads stuck after a %s", coming).hasValue(1);
            }
        } finally {
            end.countDown();
        }
    }

    private static void awaitWhateverHappens(CountDownLatch end) {
        while (end.getCount() > 0) {
            try {
                end.await();
            } catch (InterruptedException e) {
                // as a policy does that ignores the governor
            }
        }
    }
}
