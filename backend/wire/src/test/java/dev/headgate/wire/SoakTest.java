package dev.headgate.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A short {@link Soak}; the long one is {@code ./headgate check soak}. */
@Timeout(180)
class SoakTest {

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void nothingHangsAndNothingIsLost(int loops) throws Exception {
        assertThat(Soak.run(loops, Duration.ofSeconds(10))).contains("nothing is lost");
    }
}
