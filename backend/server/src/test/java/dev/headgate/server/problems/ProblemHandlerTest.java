package dev.headgate.server.problems;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.sql.SQLException;
import org.apache.catalina.connector.ClientAbortException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.http.ResponseEntity;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.web.context.request.async.AsyncRequestNotUsableException;

@ExtendWith(OutputCaptureExtension.class)
class ProblemHandlerTest {

    private final ProblemHandler handler = new ProblemHandler();
    private final MockHttpServletRequest request = new MockHttpServletRequest("GET", "/assets/font.woff2");

    @Test
    void aBrowserThatDropsAFileIsNoFailureOfTheService(CapturedOutput output) {
        assertThat(handler.other(new ClientAbortException(new IOException("Broken pipe")), request))
                .isNull();
        assertThat(handler.other(new IOException("Broken pipe"), request)).isNull();
        assertThat(handler.other(new AsyncRequestNotUsableException("gone"), request))
                .isNull();
        assertThat(output).doesNotContain("ERROR");
    }

    @Test
    void anUnexpectedFailureIsLoggedAndToldWithoutItsDetails(CapturedOutput output) {
        ResponseEntity<ProblemJson> answer = handler.other(new IllegalStateException("a detail"), request);
        assertThat(answer).isNotNull();
        assertThat(answer.getStatusCode().value()).isEqualTo(500);
        assertThat(String.valueOf(answer.getBody())).doesNotContain("a detail");
        assertThat(output).contains("GET /assets/font.woff2 failed").contains("a detail");
    }

    @Test
    void aRaceIsToldByWhatTheCallerCanDo() {
        Exception deleted = new DataIntegrityViolationException("no", new SQLException("foreign key", "23503"));
        Exception deadlock = new CannotAcquireLockException("no", new SQLException("deadlock detected", "40P01"));
        assertThat(handler.store(deleted, request)).satisfies(answer -> {
            assertThat(answer.getStatusCode().value()).isEqualTo(409);
            assertThat(String.valueOf(answer.getBody())).contains("created or deleted at the same moment");
        });
        assertThat(handler.store(deadlock, request)).satisfies(answer -> {
            assertThat(answer.getStatusCode().value()).isEqualTo(503);
            assertThat(answer.getHeaders().getFirst("Retry-After")).isEqualTo("1");
        });
    }
}
