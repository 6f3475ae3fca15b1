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
        private String limitedBy = "";
        private List<RaisedAlarm> alarms = List.of();

        Health health() {
            Limits limits = Limits.unbounded().withCeiling(7).because("7 is enough.");
            Optional<Answer> answer =
                    limitedBy.isEmpty() ? Optional.empty() : Optional.of(new Answer(limitedBy, limits));
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
                    new Limit(Limit.By.CEILING, answer, waiting > 0),
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

    private static RaisedAlarm alarm(String code, Severity severity) {
        return alarm(code, severity, Reach.DOMAIN);
    }

    private static RaisedAlarm alarm(String code, Severity severity, Reach reach) {
        return new RaisedAlarm(code, "a message", NOON, severity, reach, 1, Optional.empty());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        OPEN     | 10 | 0 | fine     | fine     | FINE    | auction is fine
        OPEN     |  0 | 0 | idle     | idle     | FINE    | auction is idle
        OPEN     | 10 | 2 | refusing | refusing | WARNING | auction has turned callers away
        DRAINING | 10 | 2 | refusing | refusing | WARNING | auction has turned callers away
        DRAINING |  0 | 0 | draining | draining | WARNING | auction is draining and refuses requests
        PAUSED   |  0 | 0 | paused   | paused   | NOTICE  | auction is paused
        """)
    void withoutAnAlarm(
            State state,
            double arrivals,
            double refused,
            String code,
            String label,
            Health.Severity severity,
            String sentence) {
        Facts facts = new Facts();
        facts.state = state;
        facts.arrivals = arrivals;
        facts.refused = refused;
        assertThat(facts.health())
                .isEqualTo(new Health(code, label, severity, sentence, Optional.empty(), Reach.DOMAIN));
    }

    /** A paused domain was once said to be over its latency cap. */
    @ParameterizedTest
    @CsvSource({
        "PAUSED, cap-unattainable, paused", "PAUSED, at-ceiling, paused", "PAUSED, unreachable, unreachable",
        "DRAINING, cap-unattainable, draining", "DRAINING, no-answer, no-answer",
                "OPEN, cap-unattainable, cap-unattainable"
    })
    void whatHeldAPoolBackDoesNotHideThatSomebodyStoppedIt(State state, String code, String said) {
        Facts facts = new Facts();
        facts.state = state;
        facts.alarms = List.of(alarm(code, Severity.CRITICAL));
        assertThat(facts.health().code()).isEqualTo(said);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        heap-full        | CRITICAL |                      | memory short      | SERVICE  | Headgate has been short of memory
        thread-failed    | CRITICAL |                      | part failed       | SERVICE  | A part of Headgate has been failing
        wire-stalled     | CRITICAL |                      | wire port stalled | SERVICE  | The wire port has not served its clients
        unreachable      | CRITICAL |                      | unreachable       | DATABASE | main has been unreachable
        ledger-differs   | CRITICAL |                      | ledger differs    | DATABASE | The count of open connections to main has been wrong
        draining         | WARNING  |                      | draining          | DOMAIN   | auction has been draining and refusing requests
        degraded         | WARNING  |                      | degraded          | DOMAIN   | auction has had a policy that fails
        no-answer        | WARNING  |                      | no answer         | DOMAIN   | auction has had no answer from main
        cap-unattainable | CRITICAL |                      | cap unattainable  | DOMAIN   | auction has been over its latency cap even at its floor
        refusing         | WARNING  |                      | refusing          | DOMAIN   | auction has turned callers away
        budget-exhausted | WARNING  |                      | budget used up    | DOMAIN   | auction has been waiting for the budget of main
        at-rate          | WARNING  |                      | at rate           | DOMAIN   | auction has had requests waiting for its rate limit
        convoy           | WARNING  |                      | convoy            | DOMAIN   | auction has had standstills together with other domains
        at-ceiling       | WARNING  | latency-cap          | at cap            | DOMAIN   | auction has been held at its latency cap
        at-ceiling       | WARNING  | database/latency-cap | at cap            | DOMAIN   | auction has been held at the latency cap of main
        at-ceiling       | WARNING  | min-max              | at ceiling        | DOMAIN   | auction has been held at its ceiling of 7 by min-max
        at-ceiling       | WARNING  | database/min-max     | at ceiling        | DOMAIN   | auction has been held at 5 connections by min-max of main
        at-ceiling       | WARNING  |                      | at ceiling        | DOMAIN   | auction has been held at its ceiling of 7
        too-odd          | CRITICAL |                      | too odd           | DOMAIN   | auction has had the alarm “too-odd”
        too-odd          | CRITICAL |                      | too odd           | DATABASE | main has had the alarm “too-odd”
        cap-unattainable | CRITICAL |                      | cap unattainable  | DATABASE | main has been over its latency cap even at its floor
        """)
    void ofAnAlarm(String code, Severity severity, String limitedBy, String label, Reach reach, String sentence) {
        Facts facts = new Facts();
        facts.alarms = List.of(alarm(code, severity, reach));
        facts.limitedBy = limitedBy == null ? "" : limitedBy;
        facts.refused = 5; // the alarm says more
        assertThat(facts.health())
                .isEqualTo(new Health(
                        code, label, Health.Severity.valueOf(severity.name()), sentence, Optional.of(NOON), reach));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        at-ceiling       | latency-cap | auction has turned callers away at its latency cap
        at-ceiling       | min-max     | auction has turned callers away at its ceiling of 7 by min-max
        at-rate          |             | auction has turned callers away at its rate limit
        budget-exhausted |             | auction has turned callers away at the budget of main
        convoy           |             | auction has turned callers away
        """)
    void callersThatWereTurnedAwayAreSaidFirstWithWhatHoldsThePoolBack(
            String heldBackBy, String limitedBy, String sentence) {
        Facts facts = new Facts();
        facts.limitedBy = limitedBy == null ? "" : limitedBy;
        facts.alarms = List.of(alarm(heldBackBy, Severity.WARNING), alarm("refusing", Severity.WARNING));
        assertThat(facts.health().code()).isEqualTo("refusing");
        assertThat(facts.health().sentence()).isEqualTo(sentence);
    }

    /** The overview finds one trouble in sentences that are the same. */
    @Test
    void domainsThatStoodStillTogetherSayTheSame() {
        Facts facts = new Facts();
        facts.alarms = List.of(new RaisedAlarm(
                "convoy",
                "auction and bank on 127.0.0.1:5432 stood still together for 0.6 s at 12:00:20.0 UTC; all ran",
                NOON,
                Severity.WARNING,
                Reach.DOMAIN,
                1,
                Optional.empty()));
        assertThat(facts.health().sentence()).isEqualTo("auction and bank have stood still together");
    }

    @Test
    void aPausedPoolIsWorthAWarningWhileRequestsWait() {
        Facts facts = new Facts();
        facts.state = State.PAUSED;
        facts.alarms = List.of(alarm("paused", Severity.WARNING));
        assertThat(facts.health().severity()).isEqualTo(Health.Severity.NOTICE);
        assertThat(facts.health().sentence()).isEqualTo("auction has been paused");
        facts.waiting = 3;
        assertThat(facts.health().severity()).isEqualTo(Health.Severity.WARNING);
        assertThat(facts.health().sentence()).isEqualTo("auction has been paused with requests waiting");
        facts.refused = 2;
        assertThat(facts.health().sentence())
                .isEqualTo("auction has been paused with requests waiting and turning callers away");
        facts.waiting = 0;
        assertThat(facts.health().severity()).isEqualTo(Health.Severity.WARNING);
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
    })
    void theWorstOfSeveralAlarmsIsShown(String one, Severity ofOne, String other, Severity ofOther, String worst) {
        Facts facts = new Facts();
        facts.alarms = List.of(alarm(one, ofOne), alarm(other, ofOther));
        assertThat(facts.health().code()).isEqualTo(worst);
        facts.alarms = facts.alarms.reversed();
        assertThat(facts.health().code()).isEqualTo(worst);
    }
}
