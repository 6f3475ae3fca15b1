package dev.headgate.server.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.headgate.engine.governor.Decision;
import dev.headgate.server.Service;
import dev.headgate.server.api.DecisionJson;
import dev.headgate.server.feed.Samples;
import java.io.IOException;
import java.util.List;
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
        assertThat(Explanations.sentence("bank", WAITING, null, List.of())).contains("It was below its ceiling of 7");
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
                        () -> service.get("/domains/explained/explanation")
                                .expect(200)
                                .json(),
                        answer -> answer.get("standing").isObject());
        assertThat(now.get("standing").get("domain").asString()).isEqualTo("explained");
        JsonNode past = service.get("/domains/explained/explanation?at=2020-01-01T12:03:07Z")
                .expect(200)
                .json();
        assertThat(past.get("at").asString()).isEqualTo("2020-01-01T12:03:07Z");
        assertThat(past.get("moment").isNull()).isTrue();
        assertThat(past.get("decisions")).isEmpty();
        assertThat(service.get("/domains/explained/explanation?at=noon").status())
                .isEqualTo(400);
        assertThat(service.get("/domains/nobody/explanation").status()).isEqualTo(404);
        service.delete("/domains/explained").expect(204);
    }

    private static DecisionJson decision(Decision.Kind kind) {
        return DecisionJson.of(Samples.decision(1, "bank", kind, 1));
    }
}
