package dev.headgate.engine.governor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.governor.PoolStatus.Limit;
import dev.headgate.engine.governor.PoolStatus.RaisedAlarm;
import dev.headgate.engine.governor.PoolStatus.Reach;
import dev.headgate.engine.governor.PoolStatus.Severity;
import dev.headgate.engine.governor.PoolStatus.State;
import dev.headgate.engine.meter.LatencySummary;
import dev.headgate.spi.Limits;
import dev.headgate.spi.Tier;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The state of a pool, as a table. */
class HealthTest {

    private static final Instant NOON = Instant.parse("2026-11-23T12:00:00Z");

    private static final class Facts {
        private State state = State.OPEN;
        private int waiting;
        private double arrivals = 10;
        private double refused;
        private List<RaisedAlarm> alarms = List.of();

        Health health() {
            Limits limits = Limits.unbounded().withCeiling(7).because("7 is enough.");
            return Health.of(new PoolStatus(
                    "auction",
                    "main",
                    3,
                    state,
                    Tier.NONE,
                    5,
                    0,
                    5,
                    0,
                    waiting,
                    0,
                    2,
                    7,
                    5,
                    0,
                    0,
                    40,
                    Optional.empty(),
                    limits,
                    Optional.empty(),
                    new Limit(Limit.By.CEILING, Optional.empty(), waiting > 0),
                    List.of(),
                    alarms,
                    LatencySummary.none(),
                    LatencySummary.none(),
                    arrivals,
                    0,
                    refused,
                    PoolStatus.Traffic.NONE,
                    PoolStatus.Totals.NONE));
        }
    }

    private static final Words WORDS = Words.been("at cap", "auction", "held at its latency cap", "it may hold 7");

    private static RaisedAlarm alarm(String code, Severity severity) {
        return alarm(code, severity, Reach.DOMAIN);
    }

    private static RaisedAlarm alarm(String code, Severity severity, Reach reach) {
        return new RaisedAlarm(code, WORDS, NOON, severity, reach, 1, Optional.empty());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        OPEN     | 10 | 0 | fine     | fine     | FINE    | auction is fine
        OPEN     |  0 | 0 | idle     | idle     | FINE    | auction is idle
        OPEN     | 10 | 2 | refusing | refusing | WARNING | auction has been turning callers away
        DRAINING | 10 | 2 | refusing | refusing | WARNING | auction has been turning callers away
        DRAINING |  0 | 0 | draining | draining | WARNING | auction has been draining and refusing requests
        PAUSED   |  0 | 0 | paused   | paused   | NOTICE  | auction has been paused
        """)
    void withoutAnAlarm(
            State state,
            double arrivals,
            double refused,
            String code,
            String label,
            Severity severity,
            String sentence) {
        Facts facts = new Facts();
        facts.state = state;
        facts.arrivals = arrivals;
        facts.refused = refused;
        assertThat(facts.health())
                .isEqualTo(
                        new Health(code, label, severity, sentence, Optional.empty(), Optional.empty(), Reach.DOMAIN));
    }

    /** A paused domain was once said to be over its latency cap. */
    @ParameterizedTest
    @CsvSource({
        "PAUSED, refusing, refusing",
        "PAUSED, cap-unattainable, paused",
        "PAUSED, at-ceiling, paused",
        "PAUSED, unreachable, unreachable",
        "DRAINING, cap-unattainable, draining",
        "DRAINING, no-answer, no-answer",
        "OPEN, cap-unattainable, cap-unattainable"
    })
    void whatHeldAPoolBackDoesNotHideThatSomebodyStoppedIt(State state, String code, String said) {
        Facts facts = new Facts();
        facts.state = state;
        facts.alarms = List.of(alarm(code, Severity.CRITICAL));
        assertThat(facts.health().code()).isEqualTo(said);
    }

    /** It adds no word of its own. */
    @ParameterizedTest
    @CsvSource({
        "at-ceiling, WARNING, DOMAIN",
        "unreachable, CRITICAL, DATABASE",
        "heap-full, CRITICAL, SERVICE",
        "paused, NOTICE, DOMAIN",
        "too-odd, CRITICAL, DATABASE",
    })
    void anAlarmSaysItsStateItself(String code, Severity severity, Reach reach) {
        Facts facts = new Facts();
        facts.alarms = List.of(alarm(code, severity, reach));
        facts.refused = 5; // the alarm says more
        assertThat(facts.health())
                .isEqualTo(new Health(
                        code,
                        "at cap",
                        severity,
                        "auction has been held at its latency cap",
                        Optional.of(NOON),
                        Optional.empty(),
                        reach));
    }

    @Test
    void aDatabaseWithoutAnAlarmIsFine() {
        assertThat(Health.ofDatabase("main", List.of()))
                .isEqualTo(new Health(
                        "fine",
                        "fine",
                        Severity.FINE,
                        "main is fine",
                        Optional.empty(),
                        Optional.empty(),
                        Reach.DATABASE));
    }

    @ParameterizedTest
    @CsvSource({
        "degraded, WARNING, unreachable, CRITICAL, unreachable",
        "degraded, WARNING, unreachable, WARNING, unreachable",
        "ledger-differs, CRITICAL, unreachable, CRITICAL, unreachable",
        "degraded, WARNING, too-odd, CRITICAL, too-odd",
    })
    void aDatabaseSaysTheWorstOfItsAlarms(String one, Severity ofOne, String other, Severity ofOther, String worst) {
        List<RaisedAlarm> alarms = List.of(alarm(one, ofOne, Reach.DATABASE), alarm(other, ofOther, Reach.DATABASE));
        Facts pool = new Facts();
        pool.alarms = alarms;
        Health health = Health.ofDatabase("main", alarms);
        assertThat(health.code()).isEqualTo(worst);
        assertThat(Health.ofDatabase("main", alarms.reversed())).isEqualTo(health);
        assertThat(pool.health()).as("a pool with the same alarms").isEqualTo(health);
    }

    /** What came once is told as over while its alarm clears; what came again may be about to return. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        WARNING  | 1 | false | at cap    | WARNING  | auction has been held at its latency cap
        WARNING  | 1 | true  | recovered | NOTICE   | auction was held at its latency cap
        CRITICAL | 1 | true  | recovered | NOTICE   | auction was held at its latency cap
        WARNING  | 9 | false | at cap    | WARNING  | auction has been held at its latency cap again and again
        WARNING  | 9 | true  | at cap    | WARNING  | auction has been held at its latency cap again and again
        CRITICAL | 2 | true  | at cap    | CRITICAL | auction has been held at its latency cap again and again
        """)
    void aStateThatIsOverIsToldAsOver(
            Severity was, int times, boolean clearing, String label, Severity severity, String sentence) {
        Optional<Instant> last = clearing ? Optional.of(NOON.plusSeconds(40)) : Optional.empty();
        Facts facts = new Facts();
        facts.alarms = List.of(new RaisedAlarm("at-ceiling", WORDS, NOON, was, Reach.DOMAIN, times, last));
        Optional<Instant> until = severity == Severity.NOTICE ? last : Optional.empty();
        assertThat(facts.health())
                .isEqualTo(new Health("at-ceiling", label, severity, sentence, Optional.of(NOON), until, Reach.DOMAIN));
    }

    @ParameterizedTest
    @CsvSource({"1, 1, holds", "2, 1, holds", "9, 9, holds"})
    void anAlarmThatHoldsComesBeforeAnyThatClears(int timesOfHolding, int timesOfClearing, String first) {
        Facts facts = new Facts();
        facts.alarms = List.of(
                new RaisedAlarm(
                        "unreachable",
                        WORDS,
                        NOON,
                        Severity.CRITICAL,
                        Reach.DATABASE,
                        timesOfClearing,
                        Optional.of(NOON.plusSeconds(40))),
                new RaisedAlarm(
                        "holds",
                        WORDS,
                        NOON.plusSeconds(50),
                        Severity.NOTICE,
                        Reach.DOMAIN,
                        timesOfHolding,
                        Optional.empty()));
        assertThat(facts.health().code()).isEqualTo(first);
        facts.alarms = facts.alarms.reversed();
        assertThat(facts.health().code()).isEqualTo(first);
    }

    @Test
    void ofTwoThatClearTheOneThatComesAndGoesMattersMore() {
        Optional<Instant> last = Optional.of(NOON.plusSeconds(40));
        Facts facts = new Facts();
        facts.alarms = List.of(
                new RaisedAlarm("unreachable", WORDS, NOON, Severity.CRITICAL, Reach.DATABASE, 1, last),
                new RaisedAlarm("at-ceiling", WORDS, NOON, Severity.WARNING, Reach.DOMAIN, 2, last));
        assertThat(facts.health().code()).isEqualTo("at-ceiling");
    }

    @ParameterizedTest
    @CsvSource({
        "at-ceiling, WARNING, too-odd, CRITICAL, too-odd",
        "at-ceiling, WARNING, paused, WARNING, paused",
        "cap-unattainable, CRITICAL, unreachable, CRITICAL, unreachable",
        "wire-stalled, CRITICAL, heap-full, CRITICAL, heap-full",
        "too-odd, WARNING, budget-exhausted, WARNING, too-odd",
        "too-odd, WARNING, degraded, WARNING, degraded",
        "convoy, WARNING, at-ceiling, WARNING, at-ceiling",
        "at-ceiling, WARNING, refusing, WARNING, refusing",
        "convoy, WARNING, refusing, WARNING, refusing",
        "cap-unattainable, CRITICAL, refusing, WARNING, cap-unattainable",
        "paused, NOTICE, refusing, WARNING, refusing",
        "paused, WARNING, refusing, WARNING, paused",
    })
    void theWorstOfSeveralAlarmsIsShown(String one, Severity ofOne, String other, Severity ofOther, String worst) {
        Facts facts = new Facts();
        facts.alarms = List.of(alarm(one, ofOne), alarm(other, ofOther));
        assertThat(facts.health().code()).isEqualTo(worst);
        facts.alarms = facts.alarms.reversed();
        assertThat(facts.health().code()).isEqualTo(worst);
    }
}
