package dev.headgate.server.limits;

import dev.headgate.engine.memory.MemoryAccount.Share;
import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.access.Access;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.server.problems.ProblemWriter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Refuses a request whose body is too large, or for which there is no memory: at once if the request states its length, otherwise, in
 * chunks, when more is read than is allowed. For a caller without a credential memory is reserved as the body comes. Uploaded plugins
 * are larger and go to a file; the plugins package bounds them.
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

    /** The same without a credential, whatever length is stated: many could state one and send nothing. */
    private static final int CHUNK_OF_A_STRANGER = 1 << 10;

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
        boolean known = access.isKnown();
        if (known) {
            request.setAttribute(BodyDeadline.KNOWN, true);
        }
        try (Share share = memory.open(request)) {
            if (UPLOADS.equals(request.getRequestURI())) {
                chain.doFilter(request, response);
                return;
            }
            long allowed = known ? most : Math.min(most, MOST_OF_A_STRANGER);
            long length = Math.max(0, request.getContentLengthLong());
            long promised = known ? length : 0;
            try {
                if (length > allowed) {
                    throw tooLarge(allowed);
                }
                memory.hold(share, promised * ROOM, WHAT);
            } catch (ProblemException e) {
                problems.write(request, response, e);
                return;
            }
            Bound bound = new Bound(share, allowed, known ? CHUNK : CHUNK_OF_A_STRANGER, promised);
            chain.doFilter(new CountedBody(request, bound), response);
        }
    }

    private static ProblemException tooLarge(long allowed) {
        return ProblemException.of(
                ProblemType.PAYLOAD_TOO_LARGE,
                "A request body may have at most " + allowed + " bytes (headgate.limits.body"
                        + (allowed == MOST_OF_A_STRANGER ? ", and without a token or session less" : "")
                        + "); this one has more.");
    }

    /** Reserves what is read beyond what was reserved before. */
    private final class Bound implements CountedBody.Counter {

        private final Share share;
        private final long allowed;
        private final int chunk;
        private long reserved;
        private long read;

        /** @param reserved bytes of the body for which there is memory already */
        Bound(Share share, long allowed, int chunk, long reserved) {
            this.share = share;
            this.allowed = allowed;
            this.chunk = chunk;
            this.reserved = reserved;
        }

        @Override
        public void read(int bytes) {
            read += bytes;
            if (read > allowed) {
                throw tooLarge(allowed);
            }
            if (read > reserved) {
                long more = Math.max(chunk, read - reserved);
                memory.hold(share, more * ROOM, WHAT);
                reserved += more;
            }
        }
    }
}
