package dev.headgate.server.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.server.problems.ProblemException;
import dev.headgate.sql.SqlFailure;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SqlStatesTest {

    /** As PostgREST's table has them. */
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
}
