package dev.headgate.server.problems;

import io.swagger.v3.oas.annotations.Hidden;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** The problem for errors that happened outside of any controller. */
@RestController
@Hidden
class ErrorPage implements ErrorController {

    private final ProblemWriter writer;

    ErrorPage(ProblemWriter writer) {
        this.writer = writer;
    }

    @RequestMapping("/error")
    void error(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (response.isCommitted()) { // its sender failed after the answer, and gets no second one
            return;
        }
        Object status = request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE);
        ProblemType type = ProblemType.ofStatus(status instanceof Integer code ? code : 404);
        writer.write(request, response, ProblemException.of(type, type.title() + "."));
    }
}
