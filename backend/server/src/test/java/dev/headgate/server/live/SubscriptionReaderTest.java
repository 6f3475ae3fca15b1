package dev.headgate.server.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.json.JsonMapper;

class SubscriptionReaderTest {

    private final SubscriptionReader reader = new SubscriptionReader(JsonMapper.shared());

    @Test
    void everythingThatIsSaidIsTaken() throws MalformedMessageException {
        assertThat(reader.read("""
                        {"type":"subscribe","domains":["bank","gallery"],"rateHz":10,"connections":["bank"]}""")).isEqualTo(new Subscription(Set.of("bank", "gallery"), 10, Set.of("bank")));
    }

    @Test
    void rateAndConnectionsMayBeLeftOut() throws MalformedMessageException {
        assertThat(reader.read("""
                        {"type":"subscribe","domains":["*"]}""")).isEqualTo(new Subscription(Set.of("*"), 4, Set.of()));
    }

    @Test
    void whatAPageShowsIsTaken() throws MalformedMessageException {
        assertThat(reader.read("""
                        {"type":"subscribe","domains":[],"seconds":["bank"],"events":["*"],"summary":"figures"}"""))
                .isEqualTo(new Subscription(Set.of(), 4, Set.of(), Set.of("bank"), Set.of("*"), Summary.Part.FIGURES));
    }

    @Test
    void eventsAreThoseOfTheDomainsUnlessOthersAreNamed() throws MalformedMessageException {
        Subscription subscription = reader.read("""
                {"type":"subscribe","domains":["bank"],"summary":"health"}""");
        assertThat(subscription.coversEvents("bank")).isTrue();
        assertThat(subscription.coversEvents("gallery")).isFalse();
        assertThat(subscription.coversEvents(null)).isTrue();
        assertThat(subscription.summary()).isEqualTo(Summary.Part.HEALTH);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            hello                                                       | JSON
            ["subscribe"]                                               | object
            {"domains":["*"]}                                           | type
            {"type":"unsubscribe","domains":["*"]}                      | type
            {"type":"subscribe"}                                        | domains
            {"type":"subscribe","domains":"bank"}                       | domains
            {"type":"subscribe","domains":["bank","Bank"]}              | domains/1
            {"type":"subscribe","domains":["*"],"connections":[7]}      | connections/0
            {"type":"subscribe","domains":["*"],"rateHz":0}             | rateHz
            {"type":"subscribe","domains":["*"],"rateHz":10.1}          | rateHz
            {"type":"subscribe","domains":["*"],"rateHz":"4"}           | rateHz
            {"type":"subscribe","domains":["*"],"rateHZ":4}             | rateHZ
            {"type":"subscribe","domains":["*"],"summary":"all"}        | summary
            {"type":"subscribe","domains":["*"],"summary":true}         | summary
            {"type":"subscribe","domains":["*"],"seconds":["Bank"]}     | seconds/0
            {"type":"subscribe","domains":["*"],"events":"bank"}        | events
            """)
    void aFaultIsNamedWithItsFieldWithinWhatACloseReasonHolds(String message, String field) {
        assertThatThrownBy(() -> reader.read(message))
                .isInstanceOf(MalformedMessageException.class)
                .hasMessageContaining(field)
                .satisfies(e -> assertThat(e.getMessage().getBytes(StandardCharsets.UTF_8))
                        .hasSizeLessThanOrEqualTo(123));
    }

    @Test
    void aFaultDoesNotRepeatALongValue() {
        String name = "Ü".repeat(5_000);
        assertThatThrownBy(() -> reader.read("{\"type\":\"subscribe\",\"domains\":[\"" + name + "\"]}"))
                .satisfies(e -> assertThat(e.getMessage().getBytes(StandardCharsets.UTF_8))
                        .hasSizeLessThanOrEqualTo(123));
        assertThatThrownBy(() -> reader.read("{\"type\":\"subscribe\",\"" + name + "\":1}"))
                .satisfies(e -> assertThat(e.getMessage().getBytes(StandardCharsets.UTF_8))
                        .hasSizeLessThanOrEqualTo(123));
    }

    @ParameterizedTest
    @CsvSource({"10, 2", "4, 5", "3, 7", "1, 20", "0.2, 100"})
    void aRateIsRoundedToTurnsOfTheFeed(double rateHz, int turns) {
        assertThat(new Subscription(Set.of(), rateHz, Set.of()).turnsPerFrame()).isEqualTo(turns);
    }
}
