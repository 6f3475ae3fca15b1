package dev.headgate.server.guards;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import java.time.Duration;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GuardTermsTest {

    @Test
    void everyPart() {
        assertThat(GuardTerms.parse("p99Ms:50.5,waitP99Ms:100,errorRate:0.01,refusedRate:0,within:60s"))
                .isEqualTo(new GuardTerms(new GuardBounds(50.5, 100.0, 0.01, 0.0), Duration.ofSeconds(60), "keep"));
    }

    @Test
    void oneBoundIsEnough() {
        assertThat(GuardTerms.parse("within:5m,errorRate:1"))
                .isEqualTo(new GuardTerms(new GuardBounds(null, null, 1.0, null), Duration.ofMinutes(5), "keep"));
    }

    @Test
    void aTrialNeedsNoBound() {
        assertThat(GuardTerms.parse("within:10m,then:restore"))
                .isEqualTo(new GuardTerms(new GuardBounds(null, null, null, null), Duration.ofMinutes(10), "restore"));
        assertThat(GuardTerms.parse("waitP99Ms:100,within:10m,then:restore-unjudged"))
                .isEqualTo(new GuardTerms(
                        new GuardBounds(null, 100.0, null, null), Duration.ofMinutes(10), "restore-unjudged"));
        assertThat(GuardTerms.parse("then:keep,refusedRate:0.5,within:10s").then())
                .isEqualTo("keep");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "x|does not know 'x'",
                "p99Ms:50|does not say 'within'",
                "within:60s|has no bound",
                "within:60s,then:keep|has no bound",
                "within:60s,then:restore-unjudged|has no bound",
                "within:60s,then:stop|has 'stop' for then; allowed is keep, restore or restore-unjudged",
                "then:restore,then:restore,within:60s|names 'then' twice",
                "p99Ms:50,p99Ms:60,within:60s|names 'p99Ms' twice",
                "p99Ms:50,within:60s,within:60s|names 'within' twice",
                "p99Ms:0,within:60s|has '0' for p99Ms; allowed is milliseconds above 0",
                "p99Ms:-5,within:60s|has '-5' for p99Ms",
                "p99Ms:NaN,within:60s|has 'NaN' for p99Ms",
                "p99Ms:4000000,within:60s|has '4000000' for p99Ms",
                "errorRate:1.01,within:60s|has '1.01' for errorRate; allowed is a share from 0 to 1",
                "errorRate,within:60s|has '' for errorRate",
                "errorRate:0.1,within:60|has '60' for within; allowed is 3s to 3600s",
                "errorRate:0.1,within:2s|has '2s' for within",
                "errorRate:0.1,within:61m|has '61m' for within",
                "errorRate:0.1, within:60s|does not know ' within:60s'",
                "p50Ms:1,within:60s|does not know 'p50Ms:1'",
            })
    void whatIsWrongIsNamed(String text, String detail) {
        assertThatThrownBy(() -> GuardTerms.parse(text))
                .asInstanceOf(InstanceOfAssertFactories.type(ProblemException.class))
                .satisfies(e -> {
                    assertThat(e.type()).isEqualTo(ProblemType.MALFORMED_REQUEST);
                    assertThat(e.getMessage()).startsWith("'guard' " + detail);
                });
    }
}
