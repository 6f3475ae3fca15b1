package dev.headgate.server.limits;

import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.server.problems.ProblemWriter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Ends a request whose body is too large: at once where it says its length, and otherwise, in chunks, when more is read than
 * is allowed. Uploaded plugins are larger; the plugins package bounds them.
 */
@Component
final class BodyLimit extends OncePerRequestFilter {

    private static final String UPLOADS = "/api/v1/policy-plugins";

    private final long most;
    private final ProblemWriter problems;

    BodyLimit(HeadgateProperties properties, ProblemWriter problems) {
        this.most = properties.limits().body().toBytes();
        this.problems = problems;
    }

    @Override
    protected boolean shouldNotFilter(HttpServletRequest request) {
        return UPLOADS.equals(request.getRequestURI());
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        if (request.getContentLengthLong() > most) {
            problems.write(request, response, tooLarge());
        } else {
            chain.doFilter(new Bounded(request), response);
        }
    }

    private ProblemException tooLarge() {
        return ProblemException.of(
                ProblemType.PAYLOAD_TOO_LARGE,
                "A request body may have at most " + most + " bytes (headgate.limits.body); this one has more.");
    }

    private final class Bounded extends HttpServletRequestWrapper {

        private @Nullable ServletInputStream body;

        Bounded(HttpServletRequest request) {
            super(request);
        }

        @Override
        public ServletInputStream getInputStream() throws IOException {
            if (body == null) {
                body = new BoundedBody(super.getInputStream());
            }
            return body;
        }

        @Override
        public BufferedReader getReader() throws IOException {
            return new BufferedReader(new InputStreamReader(getInputStream(), StandardCharsets.UTF_8));
        }
    }

    private final class BoundedBody extends ServletInputStream {

        private final ServletInputStream body;
        private long read;

        BoundedBody(ServletInputStream body) {
            this.body = body;
        }

        @Override
        public int read() throws IOException {
            int value = body.read();
            count(value < 0 ? 0 : 1);
            return value;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            int count = body.read(bytes, offset, length);
            count(Math.max(count, 0));
            return count;
        }

        private void count(int more) {
            read += more;
            if (read > most) {
                throw tooLarge();
            }
        }

        @Override
        public boolean isFinished() {
            return body.isFinished();
        }

        @Override
        public boolean isReady() {
            return body.isReady();
        }

        @Override
        public void setReadListener(ReadListener listener) {
            body.setReadListener(listener);
        }
    }
}
