package dev.headgate.server.problems;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.apache.catalina.connector.ClientAbortException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
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
}
