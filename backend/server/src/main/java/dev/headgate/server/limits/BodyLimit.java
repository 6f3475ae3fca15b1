package dev.headgate.server.limits;

import dev.headgate.engine.memory.MemoryAccount.Share;
import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.access.Access;
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
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Refuses a request whose body is too large, or for which there is no memory: at once if the request states its length, otherwise, in
 * chunks, when more is read than is allowed. Uploaded plugins are larger and go to a file; the plugins package bounds them.
 */
@Component
@Order(1) // after the filters that find out who asks
final class BodyLimit extends OncePerRequestFilter {

    private static final String UPLOADS = "/api/v1/policy-plugins";

    /** Bytes of memory for each byte of a body: a tree of small values takes several times the room of its text. */
    static final int ROOM = 8;

    /** The most bytes of a body in a request without a credential, such as a login. */
    private static final long MOST_OF_A_STRANGER = 16 << 10;

    /** How many bytes are reserved at a time for a body of unknown length. */
    private static final int CHUNK = 16 << 10;

    private static final String WHAT = "its body";

    private final long most;
    private final RequestMemory memory;
    private final Access access;
    private final ProblemWriter problems;

    BodyLimit(HeadgateProperties properties, RequestMemory memory, Access access, ProblemWriter problems) {
        this.most = properties.limits().body().toBytes();
        this.memory = memory;
        this.access = access;
        this.problems = problems;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        try (Share share = memory.open(request)) {
            if (UPLOADS.equals(request.getRequestURI())) {
                chain.doFilter(request, response);
                return;
            }
            long allowed = access.isKnown() ? most : Math.min(most, MOST_OF_A_STRANGER);
            long length = request.getContentLengthLong();
            try {
                if (length > allowed) {
                    throw tooLarge(allowed);
                }
                memory.hold(share, Math.max(0, length) * ROOM, WHAT);
            } catch (ProblemException e) {
                problems.write(request, response, e);
                return;
            }
            chain.doFilter(new Bounded(request, share, allowed), response);
        }
    }

    private static ProblemException tooLarge(long allowed) {
        return ProblemException.of(
                ProblemType.PAYLOAD_TOO_LARGE,
                "A request body may have at most " + allowed + " bytes (headgate.limits.body"
                        + (allowed == MOST_OF_A_STRANGER ? ", and without a token or session less" : "")
                        + "); this one has more.");
    }

    private final class Bounded extends HttpServletRequestWrapper {

        private final Share share;
        private final long allowed;
        private @Nullable ServletInputStream body;

        Bounded(HttpServletRequest request, Share share, long allowed) {
            super(request);
            this.share = share;
            this.allowed = allowed;
        }

        @Override
        public ServletInputStream getInputStream() throws IOException {
            if (body == null) {
                body = new BoundedBody(super.getInputStream(), share, allowed, getContentLengthLong());
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
        private final Share share;
        private final long allowed;
        private long reserved;
        private long read;

        /** @param length -1 if unknown */
        BoundedBody(ServletInputStream body, Share share, long allowed, long length) {
            this.body = body;
            this.share = share;
            this.allowed = allowed;
            this.reserved = Math.max(0, length);
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
            if (read > allowed) {
                throw tooLarge(allowed);
            }
            if (read > reserved) {
                long chunk = Math.max(CHUNK, read - reserved);
                memory.hold(share, chunk * ROOM, WHAT);
                reserved += chunk;
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
