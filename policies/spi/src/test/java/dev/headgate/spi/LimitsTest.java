package dev.headgate.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The laws that make the order of policies irrelevant, on limits made up from a seed. */
class LimitsTest {

    private static final int ROUNDS = 5_000;

    private final Random random = new Random(42);

    @Test
    void combiningIsCommutativeAssociativeAndIdempotent() {
        for (int round = 0; round < ROUNDS; round++) {
            Limits a = limits();
            Limits b = limits();
            Limits c = limits();
            assertThat(a.and(b)).isEqualTo(b.and(a));
            assertThat(a.and(b).and(c)).isEqualTo(a.and(b.and(c)));
            assertThat(a.and(a)).isEqualTo(a);
            assertThat(a.and(Limits.unbounded())).isEqualTo(a);
        }
    }

    @Test
    void whatAPolicySaysIsBounded() {
        Limits talkative = Limits.unbounded().because("x".repeat(996) + "\uD83D\uDE00 and more words");
        assertThat(talkative.reason()).isEqualTo("x".repeat(996) + "...");
        assertThat(Limits.unbounded().because("x".repeat(1_000)).reason()).hasSize(1_000);
        Alarm alarm = new Alarm("c".repeat(200), "m".repeat(1 << 20));
        assertThat(alarm.code()).hasSize(Alarm.LONGEST_CODE).endsWith("...");
        assertThat(alarm.message()).hasSize(Alarm.LONGEST_MESSAGE).endsWith("...");
    }

    @Test
    void theFirstAlarmsAreKeptWhateverTheOrder() {
        Limits a = Limits.unbounded();
        Limits b = Limits.unbounded();
        for (int i = 10; i < 50; i++) {
            Alarm alarm = new Alarm("alarm-" + i, "");
            if (i % 2 == 0) {
                a = a.withAlarm(alarm);
            } else {
                b = b.withAlarm(alarm);
            }
        }
        assertThat(a.and(b).alarms())
                .isEqualTo(b.and(a).alarms())
                .hasSize(Limits.MOST_ALARMS)
                .first()
                .isEqualTo(new Alarm("alarm-10", ""));
        assertThat(a.and(b).alarms().last()).isEqualTo(new Alarm("alarm-29", ""));
    }

    @Test
    void theOrderOfPoliciesNeverChangesTheOutcome() {
        for (int round = 0; round < 200; round++) {
            List<Limits> answers = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                answers.add(limits());
            }
            Limits inOrder = answers.stream().reduce(Limits.unbounded(), Limits::and);
            Collections.shuffle(answers, random);
            assertThat(answers.stream().reduce(Limits.unbounded(), Limits::and)).isEqualTo(inOrder);
        }
    }

    @Test
    void combiningNeverAllowsMoreThanEitherDoes() {
        for (int round = 0; round < ROUNDS; round++) {
            Limits a = limits();
            Limits both = a.and(limits());
            assertThat(both.ceiling()).isLessThanOrEqualTo(a.ceiling());
            assertThat(both.floor()).isGreaterThanOrEqualTo(a.floor());
            assertThat(both.rate()).isLessThanOrEqualTo(a.rate());
            assertThat(both.burst()).isLessThanOrEqualTo(a.burst());
            assertThat(both.effectiveFloor()).isLessThanOrEqualTo(both.ceiling());
            assertThat(both.alarms()).containsAll(a.alarms());
        }
    }

    @Test
    void theReasonOfTheBindingPolicyTravelsWithTheCeiling() {
        Limits wide = Limits.unbounded().withCeiling(20).because("At most 20.");
        Limits narrow = Limits.unbounded().withCeiling(7).because("An 8th would be too slow.");
        assertThat(wide.and(narrow).reason()).isEqualTo("An 8th would be too slow.");
        assertThat(wide.and(Limits.unbounded()).reason()).isEqualTo("At most 20.");
    }

    @Test
    void refusesWhatMakesNoSense() {
        assertThatThrownBy(() -> Limits.unbounded().withFloor(-1)).hasMessage("floor must not be negative, was -1");
        assertThatThrownBy(() -> Limits.unbounded().withWeight(0)).hasMessage("weight must be positive, was 0.0");
        assertThatThrownBy(() -> Limits.unbounded().withWeight(Double.NaN)).hasMessageContaining("weight");
        assertThatThrownBy(() -> Limits.unbounded().withRate(-2)).hasMessageContaining("rate must be positive");
        assertThatThrownBy(() -> Limits.unbounded().withBurst(0)).hasMessage("burst must be at least 1, was 0");
    }

    private Limits limits() {
        Limits limits = Limits.unbounded()
                .withFloor(random.nextInt(4))
                .withCeiling(random.nextInt(4) == 0 ? Limits.UNSPECIFIED : random.nextInt(4))
                .withGuaranteed(random.nextBoolean() ? Limits.UNSPECIFIED : random.nextInt(4))
                .withWeight(random.nextBoolean() ? Double.POSITIVE_INFINITY : 1 + random.nextInt(3))
                .withRate(random.nextBoolean() ? Double.POSITIVE_INFINITY : 1 + random.nextInt(3))
                .withBurst(random.nextBoolean() ? Limits.UNSPECIFIED : 1 + random.nextInt(3))
                .withIdleTimeoutNanos(random.nextInt(3))
                .withTier(Tier.values()[random.nextInt(4)])
                .withWhenExhausted(new WhenExhausted(
                        WhenExhausted.Mode.values()[random.nextInt(3)], random.nextInt(3), random.nextInt(3)))
                .because(List.of("", "a", "b").get(random.nextInt(3)));
        return random.nextInt(3) == 0 ? limits.withAlarm(new Alarm("code-" + random.nextInt(2), "A.")) : limits;
    }
}
