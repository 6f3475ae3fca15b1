package dev.headgate.server.sizing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.governor.Answer;
import dev.headgate.server.policies.PolicySetRequest;
import dev.headgate.server.policies.PolicySetRequest.PolicyUseRequest;
import dev.headgate.spi.Limits;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AnswersTest {

    private static Trial trial(int size, double rate, String ruledOut) {
        return new Trial(size, 1000, rate, 0, 0, 2, 4, 2.5, ruledOut);
    }

    @Test
    void theSentenceSaysWhatTheNextSmallerSizeLacks() {
        assertThat(Answers.sentence(
                        4, List.of(trial(4, 800, ""), trial(2, 400, ""), trial(3, 600, ""), trial(4, 812, ""))))
                .isEqualTo("4 connections give 812 leases a second at a response of 2.5 ms; 3 gave 600 at 2.5 ms.");
        assertThat(Answers.sentence(1, List.of(trial(1, 800, ""), trial(1, 790, ""), trial(1, 300, ""))))
                .as("the median of three trials, as the search decides")
                .startsWith("1 connection gives 790 leases");
        assertThat(Answers.sentence(2, List.of(trial(2, 800, ""), trial(1, 0, "a caller waited 1200 ms"))))
                .endsWith("; 1 was ruled out, because a caller waited 1200 ms.");
        assertThat(Answers.sentence(1, List.of(trial(1, 800, ""))))
                .isEqualTo("1 connection gives 800 leases a second at a response of 2.5 ms; fewer are not possible.");
    }

    @Test
    void policiesThatOnlyBoundTheSizeAreReplacedAndOthersStay() {
        PolicyUseRequest tiers = new PolicyUseRequest("tiers", Map.of("guaranteed", 2, "borrowLimit", 3));
        PolicySetRequest inForce = new PolicySetRequest(
                List.of(
                        tiers,
                        new PolicyUseRequest("min-max", Map.of("min", 2, "max", 20)),
                        new PolicyUseRequest("latency-cap", Map.of("maxLatencyMs", 25))),
                null,
                null);
        List<Answer> answers = List.of(
                new Answer("tiers", Limits.unbounded().withGuaranteed(2).withCeiling(5)),
                new Answer("min-max", Limits.unbounded().withFloor(2).withCeiling(20)),
                new Answer("latency-cap", Limits.unbounded().withCeiling(6)));

        PolicySetRequest answer = Answers.policySet(inForce, answers, 7);

        assertThat(answer.policies())
                .containsExactly(new PolicyUseRequest("min-max", Map.of("min", 2, "max", 7)), tiers);
        assertThat(Answers.replaced(answers))
                .isEqualTo(" The set has min-max in place of latency-cap, which only bounds the size.");
        assertThat(Answers.replaced(answers.subList(0, 2))).isEmpty();
        assertThat(Answers.held(answers, 7)).isEqualTo(" tiers stays in the set, and allows 5 at most.");
        assertThat(Answers.held(answers, 5)).isEmpty();
    }
}
