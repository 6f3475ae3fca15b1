package dev.headgate.server.policies;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.server.api.Scope;
import dev.headgate.server.api.WhenExhaustedJson;
import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.Faults;
import org.junit.jupiter.api.Test;

class WhenExhaustedReaderTest {

    private final Faults faults = new Faults();

    @Test
    void everyFaultIsToldAtOnce() {
        WhenExhaustedReader.read(new WhenExhaustedJson("perhaps", -1L, -1), Scope.domain("bank"), faults);
        assertThat(faults.list())
                .extracting(Fault::pointer)
                .containsExactly("/whenExhausted/mode", "/whenExhausted/timeoutMs", "/whenExhausted/depth");
    }

    @Test
    void omittedFieldsHaveTheirDefaults() {
        assertThat(WhenExhaustedReader.read(new WhenExhaustedJson("fail", null, null), Scope.domain("bank"), faults))
                .isEqualTo(new WhenExhaustedJson("fail", 5_000L, 1_000));
        assertThat(faults.list()).isEmpty();
    }
}
