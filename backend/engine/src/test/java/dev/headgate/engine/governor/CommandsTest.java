package dev.headgate.engine.governor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.engine.time.SystemTime;
import dev.headgate.engine.time.Time;
import dev.headgate.engine.time.VirtualTime;
import dev.headgate.spi.Limits;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PoolView;
import dev.headgate.spi.WhenExhausted;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of a command: it is done, taken back before it is begun, or refused because the governor has stopped. */
class CommandsTest {

    private final VirtualTime time = new VirtualTime();
    private final Governor governor = governor(time);

    private static Governor governor(Time time) {
        return new Governor("main", "test", time, () -> 20, PolicyRunner.direct(), new GovernorListener() {}, () -> {});
    }

    /** Counts how often it was closed. */
    private static final class Closable implements Policy {
        private int closed;

        @Override
        public Limits limits(PoolView pool) {
            return Limits.unbounded().withFloor(1).withCeiling(4);
        }

        @Override
        public void close() {
            closed++;
        }
    }

    private SimulatedPool open(String domain, Policy policy) {
        SimulatedPool pool = new SimulatedPool(domain, time, governor);
        governor.add(pool, set(1, policy));
        governor.step();
        return pool;
    }

    private static PolicySet set(long revision, Policy policy) {
        return PolicySet.of(revision, WhenExhausted.queue(60_000, 100), new PolicySet.Member("fixed", policy));
    }

    private static void assertRefused(CompletionStage<?> stage) {
        CompletableFuture<?> future = stage.toCompletableFuture();
        assertThat(future).isCompletedExceptionally();
        assertThatThrownBy(future::get).hasRootCauseMessage("the governor of main has stopped");
    }

    /** Each command that there is. */
    private List<CompletionStage<?>> commands() {
        return List.of(
                governor.add(new SimulatedPool("shop", time, governor), set(1, new Closable())),
                governor.swap("bank", set(2, new Closable())),
                governor.swap(set(2, new Closable())),
                governor.shadow("bank", set(2, new Closable())),
                governor.unshadow("bank"),
                governor.ask("bank", set(2, new Closable())),
                governor.ask(set(2, new Closable())),
                governor.pause("bank"),
                governor.resume("bank"),
                governor.flush("bank"),
                governor.drain("bank"),
                governor.unjudged("bank", "No request came."),
                governor.unjudged("No request came."),
                governor.remove("bank"));
    }

    @Test
    void whatIsAskedOfAGovernorThatHasStoppedFailsAtOnce() {
        open("bank", new Closable());
        governor.stop();
        commands().forEach(CommandsTest::assertRefused);
    }

    @Test
    void whatIsNotBegunWhenTheGovernorStopsFails() {
        open("bank", new Closable());
        List<CompletionStage<?>> waiting = commands();
        governor.stop();
        waiting.forEach(CommandsTest::assertRefused);
    }

    @Test
    void whatIsNotDoneWhenTheGovernorStopsFails() {
        SimulatedPool bank = open("bank", new Closable());
        bank.request(Long.MAX_VALUE / 4); // a lease that stays out
        CompletionStage<Void> removed = governor.remove("bank");
        governor.step();
        governor.step();
        assertThat(removed.toCompletableFuture()).isNotDone();
        governor.stop();
        assertRefused(removed);
    }

    @Test
    void aGovernorThatStopsClosesThePoliciesThatAreLeft() {
        Closable ofDomain = new Closable();
        Closable shadow = new Closable();
        Closable ofDatabase = new Closable();
        open("bank", ofDomain);
        governor.shadow("bank", set(0, shadow));
        governor.swap(set(1, ofDatabase));
        governor.step();
        governor.stop();
        assertThat(List.of(ofDomain.closed, shadow.closed, ofDatabase.closed)).containsOnly(1);
    }

    private static PolicySet brokenWhenRetired() {
        return new PolicySet(1, List.of(), WhenExhausted.unbounded(), () -> {
            throw new IllegalStateException("of a test");
        });
    }

    @Test
    void whatThrowsAfterAStepKeepsNoCommandFromItsEnd() {
        open("bank", new Closable());
        List<CompletionStage<?>> stages = new ArrayList<>();
        stages.add(governor.swap("bank", brokenWhenRetired()));
        governor.step();
        stages.add(governor.swap("bank", set(3, new Closable())));
        stages.add(governor.pause("bank"));
        assertThatThrownBy(governor::step).hasRootCauseMessage("of a test");
        stages.add(governor.swap("bank", brokenWhenRetired()));
        governor.step();
        stages.add(governor.remove("bank"));
        assertThatThrownBy(governor::step).hasRootCauseMessage("of a test");
        assertThat(stages).allMatch(stage -> stage.toCompletableFuture().isDone());
        assertThat(stages).noneMatch(stage -> stage.toCompletableFuture().isCompletedExceptionally());
    }

    @Test
    void whatThrowsWhenTheGovernorStopsKeepsNothingElseFromItsEnd() {
        SimulatedPool bank = open("bank", new Closable());
        governor.add(new SimulatedPool("shop", time, governor), brokenWhenRetired());
        Closable last = new Closable();
        governor.add(new SimulatedPool("till", time, governor), set(1, last));
        governor.step();
        bank.request(Long.MAX_VALUE / 4); // a lease that stays out
        CompletionStage<Void> removed = governor.remove("bank");
        governor.step();
        assertThatThrownBy(governor::stop).hasRootCauseMessage("of a test");
        assertThat(last.closed).isEqualTo(1);
        assertRefused(removed);
    }

    @Test
    void aCommandFailsWithWhateverItThrows() {
        Governor broken = new Governor(
                "main",
                "test",
                time,
                () -> 20,
                calls -> {
                    if (!calls.isEmpty()) {
                        throw new StackOverflowError("of a test");
                    }
                },
                GovernorListener.NONE,
                () -> {});
        CompletableFuture<?> asked = broken.ask(set(1, new Closable())).toCompletableFuture();
        broken.step();
        assertThat(asked).isCompletedExceptionally();
    }

    @Test
    void aCommandThatIsTakenBackChangesNothingAndItsSetIsClosed() {
        Closable former = new Closable();
        Closable late = new Closable();
        open("bank", former);
        CompletableFuture<Void> swapped = governor.swap("bank", set(2, late)).toCompletableFuture();

        assertThat(swapped.cancel(false)).isTrue();
        governor.step();

        assertThat(governor.policies("bank").revision()).isEqualTo(1);
        assertThat(former.closed).isZero();
        assertThat(late.closed).isEqualTo(1);
    }

    @Test
    void aCommandThatIsBegunWithCannotBeTakenBack() throws Exception {
        Closable former = new Closable();
        open("bank", former);
        CompletableFuture<CompletableFuture<Void>> swap = new CompletableFuture<>();
        boolean[] takenBack = {true};
        Policy whileLearning = view -> {
            takenBack[0] = swap.join().cancel(false);
            return Limits.unbounded();
        };
        swap.complete(governor.swap("bank", set(2, whileLearning)).toCompletableFuture());

        governor.step();

        assertThat(takenBack[0]).isFalse();
        assertThat(swap.get().get()).isNull();
        assertThat(governor.policies("bank").revision()).isEqualTo(2);
        assertThat(former.closed).isEqualTo(1);
    }

    @Test
    void aDomainThatIsBeingRemovedIsNotResumed() {
        Closable policy = new Closable();
        SimulatedPool bank = open("bank", policy);
        bank.request(50_000_000);
        CompletableFuture<Void> removed = governor.remove("bank").toCompletableFuture();
        governor.step();
        var _ = governor.resume("bank");
        governor.step();
        time.advance(50_000_000);
        governor.step();
        governor.step();
        assertThat(removed).isCompleted();
        assertThat(policy.closed).isEqualTo(1);
    }

    @Test
    void aDomainThatIsRemovedTwiceEndsOnceAndTellsBoth() {
        Closable policy = new Closable();
        SimulatedPool bank = open("bank", policy);
        bank.request(50_000_000);
        CompletableFuture<Void> first = governor.remove("bank").toCompletableFuture();
        governor.step();
        CompletableFuture<Void> second = governor.remove("bank").toCompletableFuture();
        governor.step();
        assertThat(List.of(first, second)).noneMatch(CompletableFuture::isDone);

        time.advance(50_000_000);
        governor.step();
        governor.step();

        assertThat(first).isCompleted();
        assertThat(second).isCompleted();
        assertThat(policy.closed).isEqualTo(1);
        assertThat(governor.remove("bank").toCompletableFuture()).isNotDone();
        governor.step();
        assertThat(policy.closed).isEqualTo(1);
    }

    @Test
    @Timeout(60)
    void aStepThatFailsIsToldToTheSupervisorAndTheNextOneRuns() throws Exception {
        AtomicInteger budgets = new AtomicInteger();
        List<Throwable> faults = new CopyOnWriteArrayList<>();
        Supervisor supervisor = new Supervisor(InstantSource.system(), failure -> {});
        Governor broken = new Governor(
                "main",
                "test",
                new SystemTime(),
                () -> {
                    if (budgets.getAndIncrement() == 0) {
                        throw new IllegalStateException("no budget");
                    }
                    return 20;
                },
                PolicyRunner.direct(),
                GovernorListener.NONE,
                () -> {});
        try (GovernorThread thread = new GovernorThread("governor", supervisor, fault -> {
            faults.add(fault);
            throw new AssertionError("the listener is broken too");
        })) {
            thread.start(broken);
            broken.swap(PolicySet.empty()).toCompletableFuture().get(30, TimeUnit.SECONDS);
        }
        assertThat(faults).singleElement().isInstanceOf(IllegalStateException.class);
        assertThat(supervisor.tasks())
                .singleElement()
                .satisfies(task -> assertThat(task.failures()).isEqualTo(2));
    }

    /** A real thread: that its end ends what waits for it is the point. */
    @Test
    @Timeout(60)
    void aThreadThatEndsStopsItsGovernor() throws Exception {
        Governor threaded = governor(new SystemTime());
        GovernorThread thread = new GovernorThread("commands", Supervisor.silent(), fault -> {});
        thread.start(threaded);
        threaded.swap(PolicySet.empty()).toCompletableFuture().get(30, TimeUnit.SECONDS);
        thread.close();
        assertThatThrownBy(() ->
                        threaded.swap(PolicySet.empty()).toCompletableFuture().get(30, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasRootCauseMessage("the governor of main has stopped");
    }
}
