package dev.headgate.server.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.LeaseException;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.sql.SqlFailure;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SqlStatesTest {

    /** As PostgREST's table has them, but for 08P01, 57P02 and 57P03. */
    @ParameterizedTest
    @CsvSource({
        "08006, 503, 1",
        "08P01, 400,",
        "21000, 500,",
        "22012, 400,",
        "40001, 500,",
        "53300, 503, 1",
        "53400, 500,",
        "57000, 500,",
        "57P01, 503, 1",
        "57P02, 503, 1",
        "57P03, 503, 1",
        "57P04, 500,"
    })
    void aStateHasItsStatusAndWhatMayPassIsAskedForAgain(String state, int status, Long after) {
        ProblemException problem = SqlStates.problem(SqlFailure.of(state, "it failed"));
        assertThat(problem.type().status()).isEqualTo(status);
        assertThat(problem.retryAfterSeconds()).isEqualTo(after);
    }

    /** Whatever the policy is called that sets it. */
    @ParameterizedTest
    @CsvSource({
        "TIMED_OUT, 0.1, 0, 429, 10",
        "QUEUE_FULL, 0.5, 9, 429, 20",
        "TIMED_OUT, 100, 4, 429, 1",
        "TIMED_OUT, 1e-9, 0, 429, 3600",
        "TIMED_OUT, Infinity, 0, 503, 1",
        "UNREACHABLE, 0.1, 0, 503, 1"
    })
    void whoeverWaitsForARateIsToldWhenItsTurnComes(
            LeaseException.Cause cause, double rate, int waiting, int status, Long after) {
        ProblemException problem = SqlStates.refused(new LeaseException(
                cause, new LeaseException.Situation("d", 1, 2, 0, waiting, 0, 2, "of-ours", "Slowly.", rate), null));
        assertThat(problem.type().status()).isEqualTo(status);
        assertThat(problem.retryAfterSeconds()).isEqualTo(after);
    }
}
