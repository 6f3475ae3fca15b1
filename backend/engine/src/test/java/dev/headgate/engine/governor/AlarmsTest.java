package dev.headgate.engine.governor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.gate.Rules.Passage;
import dev.headgate.engine.governor.AlarmBoard.Condition;
import dev.headgate.engine.governor.Decision.Inputs;
import dev.headgate.engine.governor.PoolStatus.Reach;
import dev.headgate.engine.governor.PoolStatus.Severity;
import dev.headgate.engine.meter.HdrLatency;
import dev.headgate.spi.Alarm;
import dev.headgate.spi.Limits;
import dev.headgate.spi.Window;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What holds of a pool at the end of a window, and its words. */
class AlarmsTest {

    private static final Verdict NOBODY = new Verdict(1, Limits.unbounded(), List.of(), Optional.empty());

    /** A pool of five connections, all in use, with three waiters; nothing holds it back. */
    private static final class Facts {
        private Verdict own = NOBODY;
        private Verdict common = NOBODY;
        private int budget = 40;
        private Passage passage = Passage.OPEN;
        private int waiting = 3;
        private int free;
        private boolean rateHeldBack;
        private long silentNanos;
        private int refused;
        private Picture.Links links = new Picture.Links(5, 0, Optional.empty(), false, Map.of());
        private Optional<String> discrepancy = Optional.empty();
        private Optional<String> unreachable = Optional.empty();

        List<Condition> conditions() {
            Picture.Pool pool = pool();
            return Alarms.of(picture(List.of(pool)), pool, passage == Passage.OPEN && waiting > 0);
        }

        List<Condition> ofDatabase() {
            return Alarms.of(picture(List.of(pool())));
        }

        List<Condition> ofDatabaseAlone() {
            return Alarms.of(picture(List.of()));
        }

        private Picture picture(List<Picture.Pool> pools) {
            return new Picture("main", budget, discrepancy, unreachable, common, budget, AlarmBoard.CLEAR, pools);
        }

        private Picture.Pool pool() {
            Window window = new Window(
                    0, 0, HdrLatency.none(), HdrLatency.none(), 0, 0, refused, 0, 0, 0, 5, waiting, List.of());
            return new Picture.Pool(
                    "auction",
                    own,
                    passage,
                    passage == Passage.CLOSED,
                    new Inputs(5, 5 - free, free, waiting, 0, 0, 0, OptionalDouble.empty()),
                    new Picture.Door(passage, 5, 0, free, waiting, waiting, 0, rateHeldBack),
                    links,
                    new Picture.Need(0, 0),
                    silentNanos,
                    1,
                    window,
                    Standing.NONE);
        }
    }

    private static Verdict of(String policy, Limits limits) {
        return new Verdict(1, limits, List.of(new Answer(policy, limits)), Optional.empty());
    }

    private static Limits ceiling(int connections) {
        return Limits.unbounded().withCeiling(connections).because("It is enough.");
    }

    private static final Limits ONE_A_SECOND = Limits.unbounded().withRate(1).withBurst(1);

    private static final Map<String, Consumer<Facts>> SITUATIONS = Map.ofEntries(
            Map.entry("at its cap", facts -> facts.own = of("latency-cap", ceiling(5))),
            Map.entry("at its ceiling", facts -> facts.own = of("min-max", ceiling(5))),
            Map.entry("at the database's cap", facts -> facts.common = of("database/latency-cap", ceiling(5))),
            Map.entry("at the database's ceiling", facts -> facts.common = of("database/min-max", ceiling(5))),
            Map.entry("at the budget", facts -> facts.budget = 5),
            Map.entry("at its rate", facts -> {
                facts.own = of("rate-limit", ONE_A_SECOND);
                facts.free = 2;
                facts.rateHeldBack = true;
            }),
            Map.entry("at the database's rate", facts -> {
                facts.common = of("database/rate-limit", ONE_A_SECOND);
                facts.free = 2;
                facts.rateHeldBack = true;
            }),
            Map.entry("silent", facts -> facts.silentNanos = 2),
            Map.entry("nothing to open", facts -> {
                facts.waiting = 0;
                facts.links = new Picture.Links(5, 0, Optional.empty(), true, Map.of());
            }),
            Map.entry("unreachable", facts -> {
                facts.waiting = 0;
                facts.links = new Picture.Links(0, 0, Optional.of("connection refused"), false, Map.of());
            }),
            Map.entry("looked for in vain", facts -> {
                facts.waiting = 0;
                facts.unreachable = Optional.of("connection refused");
            }),
            Map.entry("a wrong count", facts -> facts.discrepancy = Optional.of("7 counted, 6 open")),
            Map.entry(
                    "degraded",
                    facts -> facts.own =
                            new Verdict(1, Limits.unbounded(), List.of(), Optional.of("min-max gave no answer"))),
            Map.entry(
                    "the database degraded",
                    facts -> facts.common =
                            new Verdict(1, Limits.unbounded(), List.of(), Optional.of("min-max gave no answer"))),
            Map.entry(
                    "a cap out of reach",
                    facts -> facts.own = of(
                            "latency-cap",
                            Limits.unbounded().withAlarm(new Alarm("cap-unattainable", "The mean is 45 ms.")))),
            Map.entry(
                    "the database's alarm",
                    facts -> facts.common =
                            of("database/own", Limits.unbounded().withAlarm(new Alarm("too-odd", "It is odd.")))),
            Map.entry("paused", facts -> {
                facts.passage = Passage.PAUSED;
                facts.waiting = 0;
            }),
            Map.entry("paused with waiters", facts -> facts.passage = Passage.PAUSED),
            Map.entry("draining", facts -> facts.passage = Passage.CLOSED),
            Map.entry(
                    "raised from outside",
                    facts -> facts.links = new Picture.Links(
                            5,
                            0,
                            Optional.empty(),
                            false,
                            Map.of(
                                    "wire-stalled",
                                    new Raised(
                                            Severity.CRITICAL,
                                            Words.been("wire port stalled", "The wire port", "stalled", "1 of 2 loops"),
                                            java.time.Instant.EPOCH)))));

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', nullValues = "none", textBlock = """
        at its cap                | at-ceiling       | WARNING  | DOMAIN   | at cap            | auction has been held at its latency cap                        | it may hold 5 connections
        at its ceiling            | at-ceiling       | WARNING  | DOMAIN   | at ceiling        | auction has been held at its ceiling of 5 by min-max            | ""
        at the database's cap     | at-ceiling       | WARNING  | DOMAIN   | at cap            | auction has been held at the latency cap of main                | it holds 5 connections
        at the database's ceiling | at-ceiling       | WARNING  | DOMAIN   | at ceiling        | auction has been held at 5 connections by min-max of main       | ""
        at the budget             | budget-exhausted | WARNING  | DOMAIN   | budget used up    | auction has been held at the budget of main                     | it holds 5 connections
        at its rate               | at-rate          | WARNING  | DOMAIN   | at rate           | auction has been held at its rate limit                         | rate-limit sets it
        at the database's rate    | at-rate          | WARNING  | DOMAIN   | at rate           | auction has been held at the rate limit of main                 | rate-limit sets it
        silent                    | no-answer        | WARNING  | DOMAIN   | no answer         | auction has been without an answer from main                    | none came on any of the 5 connections in use
        nothing to open           | budget-exhausted | WARNING  | DOMAIN   | budget used up    | auction has been held at the budget of main                     | it cannot open a connection while 40 connections are open or being closed
        unreachable               | unreachable      | CRITICAL | DATABASE | unreachable       | main has been unreachable                                       | connection refused
        a wrong count             | ledger-differs   | CRITICAL | DATABASE | ledger differs    | The count of open connections to main has been wrong            | 7 counted, 6 open
        degraded                  | degraded         | WARNING  | DOMAIN   | degraded          | auction has been under a policy that fails                      | min-max gave no answer
        the database degraded     | degraded         | WARNING  | DATABASE | degraded          | main has been under a policy that fails                         | min-max gave no answer
        a cap out of reach        | cap-unattainable | CRITICAL | DOMAIN   | cap unattainable  | auction has been over its latency cap even at its floor         | The mean is 45 ms.
        the database's alarm      | too-odd          | CRITICAL | DATABASE | too odd           | main has been under the alarm “too-odd”                         | It is odd.
        paused                    | paused           | NOTICE   | DOMAIN   | paused            | auction has been paused                                         | ""
        paused with waiters       | paused           | WARNING  | DOMAIN   | paused            | auction has been paused with requests waiting                   | ""
        draining                  | draining         | WARNING  | DOMAIN   | draining          | auction has been draining and refusing requests                 | ""
        raised from outside       | wire-stalled     | CRITICAL | SERVICE  | wire port stalled | The wire port has been stalled                                  | 1 of 2 loops
        """)
    void aConditionHasOneSentenceAndOneSeverity(
            String situation,
            String code,
            Severity severity,
            Reach reach,
            String label,
            String sentence,
            String detail) {
        Facts facts = new Facts();
        SITUATIONS.get(situation).accept(facts);
        assertThat(facts.conditions()).singleElement().satisfies(condition -> {
            assertThat(condition.code()).isEqualTo(code);
            assertThat(condition.severity()).isEqualTo(severity);
            assertThat(condition.reach()).isEqualTo(reach);
            assertThat(condition.words())
                    .isEqualTo(new Words(label, sentence, sentence.replace(" has been ", " was "), detail));
        });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        at its cap          | auction has been turning callers away at its latency cap
        at its ceiling      | auction has been turning callers away at its ceiling of 5 by min-max
        at its rate         | auction has been turning callers away at its rate limit
        at the budget       | auction has been turning callers away at the budget of main
        silent              | auction has been turning callers away
        unreachable         | auction has been turning callers away
        a wrong count       | auction has been turning callers away
        paused with waiters | auction has been turning callers away while paused
        """)
    void callersThatWereTurnedAwayAreToldWithWhatHoldsThePoolBack(String situation, String sentence) {
        Facts facts = new Facts();
        SITUATIONS.get(situation).accept(facts);
        facts.refused = 2;
        assertThat(facts.conditions())
                .filteredOn(condition -> condition.code().equals("refusing"))
                .singleElement()
                .satisfies(condition -> {
                    assertThat(condition.severity()).isEqualTo(Severity.WARNING);
                    assertThat(condition.words())
                            .isEqualTo(new Words("refusing", sentence, sentence.replace(" has been ", " was "), ""));
                });
    }

    /** Pools that still have connections that answer are not hit. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        unreachable           | unreachable    | CRITICAL | main has been unreachable
        looked for in vain    | unreachable    | CRITICAL | main has been unreachable
        a wrong count         | ledger-differs | CRITICAL | The count of open connections to main has been wrong
        the database degraded | degraded       | WARNING  | main has been under a policy that fails
        the database's alarm  | too-odd        | CRITICAL | main has been under the alarm “too-odd”
        at its ceiling        |                |          |
        degraded              |                |          |
        draining              |                |          |
        """)
    void aDatabaseHasConditionsOfItsOwnInTheWordsOfItsPools(
            String situation, String code, Severity severity, String sentence) {
        Facts facts = new Facts();
        SITUATIONS.get(situation).accept(facts);
        assertThat(facts.ofDatabase()).hasSize(code == null ? 0 : 1).allSatisfy(condition -> {
            assertThat(condition.code()).isEqualTo(code);
            assertThat(condition.severity()).isEqualTo(severity);
            assertThat(condition.reach()).isEqualTo(Reach.DATABASE);
            assertThat(condition.words().sentence()).isEqualTo(sentence);
        });
        List<Condition> ofPool = facts.conditions().stream()
                .filter(condition -> condition.reach() == Reach.DATABASE)
                .toList();
        assertThat(facts.ofDatabase()).containsAll(ofPool);
    }

    @Test
    void aDatabaseWithoutADomainIsToldOfAndHarmsNobody() {
        Facts facts = new Facts();
        assertThat(facts.ofDatabaseAlone()).isEmpty();
        facts.unreachable = Optional.of("connection refused");
        assertThat(facts.ofDatabaseAlone()).singleElement().satisfies(condition -> {
            assertThat(condition.code()).isEqualTo("unreachable");
            assertThat(condition.severity()).isEqualTo(Severity.WARNING);
            assertThat(condition.words().detail()).isEqualTo("connection refused");
        });
    }

    @Test
    void aPoolThatDrainsIsNotSaidToRefuseToo() {
        Facts facts = new Facts();
        facts.passage = Passage.CLOSED;
        facts.refused = 2;
        assertThat(facts.conditions()).extracting(Condition::code).containsExactly("draining");
    }

    /** In doubt neither the limit nor the database is blamed. */
    @Test
    void nothingIsSaidOfWaitersWhileTheDatabaseMayBeSilent() {
        Facts facts = new Facts();
        facts.own = of("min-max", ceiling(5));
        facts.silentNanos = 1;
        assertThat(facts.conditions()).isEmpty();
    }
}
