package dev.headgate.server.rehearsals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import org.junit.jupiter.api.Test;

class ReplaySizeTest {

    @Test
    void whatFitsIsReplayed() {
        assertThatCode(() -> ReplaySize.require(5, 600, seconds -> ReplaySize.MOST_LEASES))
                .doesNotThrowAnyException();
    }

    @Test
    void whatIsTooLargeIsRefusedWithTheBoundAndWhatWouldFit() {
        ProblemException refused = catchThrowableOfType(
                ProblemException.class, () -> ReplaySize.require(5, 300, seconds -> 2_000L * seconds));
        assertThat(refused.type()).isEqualTo(ProblemType.INVALID_REQUEST);
        assertThat(refused.faults())
                .containsExactly(Fault.at(
                        "/seconds",
                        "the last 300 s have 600000 requests for leases on the whole database, and a replay takes"
                                + " at most 250000; the last 125 s would fit",
                        "5..125"));
    }

    @Test
    void saysSoWhereNothingWouldFit() {
        ProblemException refused = catchThrowableOfType(
                ProblemException.class, () -> ReplaySize.require(5, 5, seconds -> 100_000L * seconds));
        assertThat(refused.faults())
                .singleElement()
                .satisfies(fault -> assertThat(fault.message()).endsWith("the last 5 s do not fit either"));
    }
}
