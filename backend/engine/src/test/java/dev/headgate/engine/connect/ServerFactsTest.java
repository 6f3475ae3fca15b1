package dev.headgate.engine.connect;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServerFactsTest {

    @ParameterizedTest
    @CsvSource({"18.6, 18", "17beta1, 17", "9.6.24, 9", "devel, 0"})
    void theMajorVersionIsTheFirstNumber(String version, int major) {
        ServerFacts.Server server = new ServerFacts.Server("", Instant.EPOCH, false);
        assertThat(new ServerFacts(version, 97, 0, server).majorVersion()).isEqualTo(major);
    }
}
