package dev.headgate.engine.governor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.spi.DatabaseView;
import dev.headgate.spi.Limits;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PoolView;
import dev.headgate.spi.WhenExhausted;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ActiveSetTest {

    private static final long MS = 1_000_000;

    private final ActiveSet active = new ActiveSet(
            PolicySet.of(
                    1,
                    WhenExhausted.unbounded(),
                    new PolicySet.Member("frugal", view -> Limits.unbounded().withCeiling(9)),
                    new PolicySet.Member("greedy", view -> Limits.unbounded().withCeiling(4))),
            "");

    @Test
    void quarantinesAPolicyThatBurnsTheProcessorWithinItsDeadlineAndKeepsItsLastAnswer() {
        List<ActiveSet.Complaint> complaints = new ArrayList<>();
        int asked = 0;
        for (long now = 0; now < 2_000 * MS; now += 100 * MS) {
            List<PolicyCall> calls = active.asking(view());
            asked = calls.size();
            for (PolicyCall call : calls) {
                call.run();
                call.charge(call.member().plugin().equals("greedy") ? 40 * MS : 4 * MS);
            }
            complaints.addAll(active.heard(calls, now));
        }
        assertThat(asked).isEqualTo(1);
        assertThat(complaints).singleElement().satisfies(complaint -> {
            assertThat(complaint.plugin()).isEqualTo("greedy");
            assertThat(complaint.quarantined()).isTrue();
            assertThat(complaint.reason()).contains("5 % of a processor core");
        });
        assertThat(active.combined().ceiling()).isEqualTo(4);
        assertThat(active.degraded().orElseThrow()).contains("greedy");
    }

    @Test
    void forgivesWhatAPolicyUsesAtItsFirstCalls() {
        for (long now = 0; now < 60_000 * MS; now += 100 * MS) {
            List<PolicyCall> calls = active.asking(view());
            assertThat(calls).hasSize(2);
            for (PolicyCall call : calls) {
                call.run();
                call.charge(now == 0 ? 120 * MS : 4 * MS);
            }
            assertThat(active.heard(calls, now)).isEmpty();
        }
    }

    @Test
    void complainsOfAPolicyThatFailsInEverNewWordsNowAndThen() {
        int[] calls = {0};
        ActiveSet failing = new ActiveSet(
                PolicySet.of(1, WhenExhausted.unbounded(), new PolicySet.Member("failing", view -> {
                    if (calls[0]++ % 3 == 0) {
                        return Limits.unbounded();
                    }
                    throw new IllegalStateException("at call " + calls[0]);
                })),
                "");
        List<ActiveSet.Complaint> complaints = new ArrayList<>();
        for (long now = 0; now < 60_000 * MS; now += 50 * MS) {
            List<PolicyCall> asked = failing.asking(view());
            asked.forEach(PolicyCall::run);
            complaints.addAll(failing.heard(asked, now));
        }
        assertThat(complaints).hasSizeBetween(5, 7);
        assertThat(failing.degraded().orElseThrow()).contains("at call 1200");
    }

    @Test
    void tellsWhatIsInForceInPlaceOfAnAnswer() {
        boolean[] fails = {true};
        Policy failing = view -> {
            if (fails[0]) {
                throw new IllegalStateException("not now");
            }
            return Limits.unbounded().withCeiling(3);
        };
        ActiveSet set = new ActiveSet(of(failing), "");
        assertThat(heard(set)).isEqualTo("failing failed with %s; it sets no limit".formatted(NOT_NOW));
        assertThat(set.combined().ceiling()).isEqualTo(Limits.UNSPECIFIED);

        set.replace(of(failing));
        assertThat(heard(set)).as("of a former set without an answer").endsWith("; it sets no limit");

        fails[0] = false;
        assertThat(heard(set)).isEmpty();
        fails[0] = true;
        assertThat(heard(set)).endsWith("; its last answer stands");

        set.replace(of(failing));
        assertThat(heard(set)).endsWith("; the former set's limits stand");
        assertThat(set.combined().ceiling()).isEqualTo(3);
        assertThat(set.combined().reason())
                .as("not what a policy said of itself")
                .isEqualTo("failing has not answered yet: the limits of the former set stand.");
    }

    /** It is asked for several times in each step of each domain, and in most of them nothing is new. */
    @Test
    void theVerdictStaysTheSameObjectUntilSomethingChanges() {
        int[] ceiling = {3};
        boolean[] fails = {false};
        ActiveSet set = new ActiveSet(
                of(view -> {
                    if (fails[0]) {
                        throw new IllegalStateException("not now");
                    }
                    return Limits.unbounded().withCeiling(ceiling[0]);
                }),
                "");
        assertThat(heard(set)).isEmpty();
        Verdict first = set.verdict();
        assertThat(first.limits().ceiling()).isEqualTo(3);
        assertThat(heard(set)).isEmpty();
        assertThat(set.verdict()).isSameAs(first);

        ceiling[0] = 4;
        assertThat(heard(set)).isEmpty();
        assertThat(set.verdict().limits().ceiling()).isEqualTo(4);
        assertThat(set.answers())
                .singleElement()
                .extracting(answer -> answer.limits().ceiling())
                .isEqualTo(4);

        fails[0] = true;
        assertThat(heard(set)).isNotEmpty();
        assertThat(set.verdict().degraded()).isPresent();
        assertThat(set.verdict().limits().ceiling()).isEqualTo(4);
        fails[0] = false;
        assertThat(heard(set)).isEmpty();
        assertThat(set.verdict().degraded()).isEmpty();

        set.replace(PolicySet.empty());
        assertThat(set.verdict().revision()).isEqualTo(PolicySet.empty().revision());
        assertThat(heard(set)).isEmpty();
        assertThat(set.verdict().answers()).isEmpty();
        assertThat(set.verdict().limits().ceiling()).isEqualTo(Limits.UNSPECIFIED);
    }

    private static final String NOT_NOW = "java.lang.IllegalStateException: not now";

    private static PolicySet of(Policy failing) {
        return PolicySet.of(2, WhenExhausted.unbounded(), new PolicySet.Member("failing", failing));
    }

    /** What it tells after it was asked. */
    private static String heard(ActiveSet set) {
        List<PolicyCall> calls = set.asking(view());
        calls.forEach(PolicyCall::run);
        for (ActiveSet.Complaint complaint : set.heard(calls, 0)) {
            assertThat(set.told(complaint)).isEqualTo(set.degraded().orElseThrow());
        }
        return set.degraded().orElse("");
    }

    private static PoolView view() {
        return new PoolView(
                "bank",
                1,
                Instant.EPOCH,
                0,
                0,
                0,
                0,
                0,
                0,
                Windows.NOTHING_YET,
                Limits.unbounded(),
                new DatabaseView("main", 40, 0, List.of()));
    }
}
