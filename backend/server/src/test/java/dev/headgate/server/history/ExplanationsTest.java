package dev.headgate.server.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.headgate.engine.governor.Decision;
import dev.headgate.server.Service;
import dev.headgate.server.api.DecisionJson;
import dev.headgate.server.feed.Samples;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class ExplanationsTest {

    private static final Explanation.Moment WAITING =
            new Explanation.Moment(6.9, 7.0, 12.0, 2.0, 7.0, 18.9, 41.0, 31.25, 0.0);
    private static final Explanation.Moment CALM = new Explanation.Moment(2.5, 7.0, 0.0, 2.0, 7.0, 1.0, 2.0, 0.0, 0.0);

    @Test
    void saysWhoHeldThePoolWhereSomeoneWaited() {
        assertThat(Explanations.sentence("bank", WAITING, null, List.of(decision(Decision.Kind.HELD))))
                .isEqualTo(
                        "bank had 6.9 of 7 connections in use and up to 12 waiting; of those that got one, 99 % waited at most"
                                + " 31 ms. bank stays at 7.");
    }

    @Test
    void aRefusalExplainsMoreThanWhatHeldThePool() {
        DecisionJson refused = DecisionJson.of(Samples.decision(2, "bank", Decision.Kind.REFUSED, 3));
        assertThat(Explanations.sentence("bank", WAITING, null, List.of(decision(Decision.Kind.HELD), refused)))
                .endsWith(refused.message());
    }

    @Test
    void saysThatNobodyWaitedAndWhatWasInForce() {
        assertThat(Explanations.sentence("bank", CALM, decision(Decision.Kind.LIMITS), List.of()))
                .isEqualTo("Nobody waited in bank: 2.5 of 7 connections were in use on average, the ceiling was 7. "
                        + "Revision 3 was in force: bank stays at 7.");
    }

    @Test
    void aMeanOfNextToNothingIsNoFigure() {
        Explanation.Moment quiet = new Explanation.Moment(0.01, 2.0, 0.0, 2.0, 7.0, 1.0, 2.0, 0.0, 0.0);
        assertThat(Explanations.sentence("bank", quiet, null, List.of()))
                .startsWith("Nobody waited in bank: hardly any of 2 connections were in use on average");
    }

    @Test
    void saysThatConnectionsWereBeingOpenedWhereNoPolicySaidNo() {
        Explanation.Moment growing = new Explanation.Moment(4.9, 5.0, 12.0, 2.0, 7.0, 18.9, 41.0, 31.25, 0.0);
        assertThat(Explanations.sentence("bank", growing, null, List.of())).contains("It was below its ceiling of 7");
        assertThat(Explanations.sentence("bank", WAITING, null, List.of()))
                .contains("It held as many as its ceiling of 7 allows.");
    }

    /** Who came and went between two ends of windows is in no figure but the waits, or in a decision alone. */
    @Test
    void doesNotSayThatNobodyWaitedWhereSomeoneDid() {
        assertThat(Explanations.sentence("bank", CALM, null, List.of(decision(Decision.Kind.HELD))))
                .startsWith("bank had 2.5 of 7 connections in use and up to 12 waiting. bank stays at 7.");
        Explanation.Moment between = new Explanation.Moment(2.5, 7.0, 0.0, 2.0, 7.0, 1.0, 2.0, 8.0, 0.0);
        assertThat(Explanations.sentence("bank", between, null, List.of()))
                .startsWith(
                        "bank had 2.5 of 7 connections in use on average; of those that got one, 99 % waited at most 8 ms.");
    }

    @Test
    void noSentenceContradictsTheFigures() {
        Random random = new Random(42);
        int nobody = 0;
        for (int i = 0; i < 100_000; i++) {
            Explanation.Moment moment = moment(random);
            List<DecisionJson> decisions = decisions(random);
            String sentence = Explanations.sentence("bank", moment, null, decisions);
            double most = Math.max(
                    moment.waiting() == null ? 0 : moment.waiting(),
                    decisions.stream()
                            .mapToInt(decision -> decision.inputs().waiting())
                            .max()
                            .orElse(0));
            boolean somebodyWaited = most > 0 || moment.waitP99Ms() != null && moment.waitP99Ms() >= 0.05;
            if (sentence.contains("Nobody waited")) {
                nobody++;
                assertThat(somebodyWaited).as(sentence).isFalse();
                assertThat(moment.waiting()).as(sentence).isNotNull();
                assertThat(moment.refusedPerSecond()).as(sentence).isIn(null, 0.0);
            }
            Matcher waiting = Pattern.compile("up to (\\d+) waiting").matcher(sentence);
            assertThat(waiting.find()).as(sentence).isEqualTo(most > 0);
            if (most > 0) {
                assertThat(Double.parseDouble(waiting.group(1))).as(sentence).isEqualTo(most);
            }
            if (sentence.contains("was below its ceiling")) {
                assertThat(moment.size()).as(sentence).isLessThan(Objects.requireNonNull(moment.ceiling()));
            }
            if (sentence.contains("as many as its ceiling")) {
                assertThat(moment.size()).as(sentence).isGreaterThanOrEqualTo(Objects.requireNonNull(moment.ceiling()));
            }
        }
        assertThat(nobody).isGreaterThan(1_000);
    }

    private static Explanation.Moment moment(Random random) {
        double ceiling = random.nextInt(12);
        double size = random.nextInt(12);
        return new Explanation.Moment(
                maybe(random, random.nextDouble() * size),
                maybe(random, size),
                maybe(random, random.nextBoolean() ? 0 : random.nextInt(300)),
                maybe(random, 0),
                maybe(random, ceiling),
                maybe(random, random.nextDouble() * 50),
                maybe(random, random.nextDouble() * 90),
                maybe(random, random.nextInt(3) == 0 ? random.nextDouble() * 40 : 0),
                maybe(random, random.nextInt(4) == 0 ? random.nextInt(9) : 0));
    }

    private static @Nullable Double maybe(Random random, double value) {
        return random.nextInt(20) == 0 ? null : value;
    }

    private static List<DecisionJson> decisions(Random random) {
        Decision.Kind[] kinds = Decision.Kind.values();
        return random.nextInt(3) > 0
                ? List.of()
                : List.of(decision(kinds[random.nextInt(kinds.length)]), decision(kinds[random.nextInt(kinds.length)]));
    }

    @Test
    void saysThatASecondIsNotKept() {
        assertThat(Explanations.sentence("bank", null, null, List.of()))
                .startsWith("There are no figures of bank for that second.");
    }

    @Test
    void isServedForADomainAndAnInstant() throws IOException {
        Service service = Service.shared();
        service.domain("explained", "[{\"plugin\": \"fixed\", \"parameters\": {\"min\": 1, \"max\": 4}}]");
        JsonNode now = await().atMost(Service.PATIENCE)
                .until(
                        () -> service.get("/domains/explained/why").expect(200).json(),
                        answer -> answer.get("standing").isObject());
        assertThat(now.get("standing").get("domain").asString()).isEqualTo("explained");
        JsonNode past = service.get("/domains/explained/why?at=2020-01-01T12:03:07Z")
                .expect(200)
                .json();
        assertThat(past.get("at").asString()).isEqualTo("2020-01-01T12:03:07Z");
        assertThat(past.get("moment").isNull()).isTrue();
        assertThat(past.get("decisions")).isEmpty();
        assertThat(service.get("/domains/explained/why?at=noon").status()).isEqualTo(400);
        assertThat(service.get("/domains/nobody/why").status()).isEqualTo(404);
        service.delete("/domains/explained").expect(204);
    }

    private static DecisionJson decision(Decision.Kind kind) {
        return DecisionJson.of(Samples.decision(1, "bank", kind, 1));
    }
}
