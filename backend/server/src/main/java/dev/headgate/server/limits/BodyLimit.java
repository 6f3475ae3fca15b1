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
 * Refuses a request whose body is too large, or for which, with a {@linkplain LargeAnswers large answer}, there is no memory: at once if the request states its length, otherwise, in
 * chunks, when more is read than is allowed. For the values in it, and for a caller without a credential, memory is reserved as the
 * body comes. Uploaded plugins are larger and go to a file; the plugins package bounds them.
 */
@Component
@Order(1) // after the filters that find out who asks
final class BodyLimit extends OncePerRequestFilter {

    private static final String UPLOADS = "/api/v1/policy-plugins";

    /** The most bytes of an uploaded plugin, and what a client sends beyond it before it sees that there are too many. */
    private static final long MOST_OF_AN_UPLOAD = RequestMemory.MOST_OF_A_PLUGIN + BodyDeadline.MOST_UNWANTED;

    private static final String YAML = "application/yaml";

    /** Bytes of memory for each byte of a body: its text, and copies of it. */
    static final int ROOM = 8;

    /** And for each value of JSON: two bytes become an object in a map, and another where the map becomes a tree. */
    static final int VALUE_ROOM = 80;

    /** The most bytes of a body in a request without a credential, such as a login. */
    private static final long MOST_OF_A_STRANGER = 16 << 10;

    /** How many bytes of memory are reserved at a time. Many strangers could send a byte and no more. */
    private static final long STEP = 8 << 10;

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
                if (known) {
                    request.setAttribute(BodyDeadline.MOST, MOST_OF_AN_UPLOAD);
                }
                chain.doFilter(request, response);
                return;
            }
            long allowed = known ? most : Math.min(most, MOST_OF_A_STRANGER);
            long length = Math.max(0, request.getContentLengthLong());
            long promised = known ? length * ROOM : 0; // a stranger may state a length and send nothing
            try {
                if (length > allowed) {
                    throw tooLarge(allowed);
                }
                memory.hold(share, promised, WHAT);
                memory.hold(share, LargeAnswers.bytes(request), "its answer");
            } catch (ProblemException e) {
                problems.write(request, response, e);
                return;
            }
            Bound bound = new Bound(share, allowed, promised, isYaml(request) ? 0 : VALUE_ROOM);
            chain.doFilter(new CountedBody(request, bound), response);
        }
    }

    /** The reader of YAML counts values itself. A parameter or a suffix of another type may name it too. */
    private static boolean isYaml(HttpServletRequest request) {
        String type = String.valueOf(request.getContentType());
        return YAML.equalsIgnoreCase(type.split(";", 2)[0].strip());
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
        private final long valueRoom;
        private final JsonMarks marks = new JsonMarks();
        private long reserved;
        private long needed;
        private long read;

        /**
         * @param reserved bytes of memory that it has already
         * @param valueRoom bytes of memory for each value
         */
        Bound(Share share, long allowed, long reserved, long valueRoom) {
            this.share = share;
            this.allowed = allowed;
            this.reserved = reserved;
            this.valueRoom = valueRoom;
        }

        @Override
        public void read(byte[] bytes, int offset, int count) {
            read += count;
            if (read > allowed) {
                throw tooLarge(allowed);
            }
            needed += (long) count * ROOM + marks.in(bytes, offset, count) * valueRoom;
            if (needed > reserved) {
                long more = Math.max(STEP, needed - reserved);
                memory.hold(share, more, WHAT);
                reserved += more;
            }
        }
    }
}
