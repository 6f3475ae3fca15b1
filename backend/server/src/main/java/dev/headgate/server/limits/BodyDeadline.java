package dev.headgate.server.limits;

import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Bounds the time that the body of a request takes in all. Tomcat's own bounds the time between two reads, so whoever sends a byte now
 * and then would keep a connection, and what was reserved for the body, for hours. What of a body nobody has read, such as that of
 * a refused request, is read here after the answer, since Tomcat would do so without a bound on the time. Where it does not end in
 * time, the connection does.
 */
@Component
@Order(-200) // before the filters that find out who asks: they refuse requests, too
final class BodyDeadline extends OncePerRequestFilter {

    /** The attribute of a request whose caller has shown a valid credential. */
    static final String KNOWN = BodyDeadline.class.getName();

    private static final Duration WITHIN_OF_A_STRANGER = Duration.ofSeconds(5);
    private static final long BYTES_PER_SECOND = 16 << 10;

    /** The attribute of a request with how much of its body its sender may send, where that is more than most may. */
    static final String MOST = BodyDeadline.class.getName() + ".most";

    /** Bytes that are read of a body that nobody wants, so that its sender reads the answer. */
    static final long MOST_UNWANTED = 2 << 20;

    private final Duration within;
    private final Departures departures;

    BodyDeadline(HeadgateProperties properties, Departures departures) {
        this.within = properties.limits().bodyWithin();
        this.departures = departures;
    }

    @Override
    protected boolean shouldNotFilter(HttpServletRequest request) {
        return !CountedBody.isIn(request);
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        Pace pace = new Pace(request);
        CountedBody counted = new CountedBody(request, pace);
        chain.doFilter(counted, response);
        if (!pace.isOver() && !request.isAsyncStarted() && !isLeftToTomcat(request, response, pace)) {
            response.flushBuffer(); // the answer leaves. Closed, it would close the body too
            long most = request.getAttribute(MOST) instanceof Long allowed ? allowed : MOST_UNWANTED;
            if (!readsRest(counted.getInputStream(), most)) {
                end(response);
                departures.breakOff(request);
            }
        }
    }

    /** The answer is whole. Without the end of its chunks whoever reads it would report a broken connection, and not what was wrong. */
    private static void end(HttpServletResponse response) {
        try {
            response.getOutputStream().close();
        } catch (IOException e) {
            // nobody reads it any more
        }
    }

    /** Its sender waits for a word, and gets none from Tomcat where it is refused. */
    private static boolean isLeftToTomcat(HttpServletRequest request, HttpServletResponse response, Pace pace) {
        return pace.read == 0 && request.getHeader(HttpHeaders.EXPECT) != null && response.getStatus() / 100 != 2;
    }

    /** Returns whether that was all, or the body cannot be read: somebody has closed it, or its sender has gone. */
    private static boolean readsRest(InputStream body, long most) {
        byte[] unwanted = new byte[8 << 10];
        try {
            for (long left = most; left > 0; ) {
                int count = body.read(unwanted);
                if (count < 0) {
                    return true;
                }
                left -= count;
            }
            return false;
        } catch (IOException e) {
            return true;
        } catch (ProblemException tooSlow) {
            return false;
        }
    }

    /** How fast a body comes. Belongs to the thread that answers. */
    private final class Pace implements CountedBody.Counter {

        private final long begunNanos = System.nanoTime();
        private final HttpServletRequest request;
        private final long length;
        private long read;
        private boolean ended;

        Pace(HttpServletRequest request) {
            this.request = request;
            this.length = request.getContentLengthLong();
        }

        @Override
        public void read(byte[] bytes, int offset, int count) {
            read += count;
            ended |= count == 0;
            Duration allowed = within().plusSeconds(read / BYTES_PER_SECOND);
            if (!isOver() && System.nanoTime() - begunNanos > allowed.toNanos()) {
                throw ProblemException.of(
                        ProblemType.MALFORMED_REQUEST,
                        "The body came too slowly: " + read + " bytes of it in " + allowed.toSeconds()
                                + " s (headgate.limits.body-within).");
            }
        }

        /** A stranger has less: a thread waits for the body, also for one of a request that was refused. */
        private Duration within() {
            return request.getAttribute(KNOWN) != null || within.compareTo(WITHIN_OF_A_STRANGER) < 0
                    ? within
                    : WITHIN_OF_A_STRANGER;
        }

        boolean isOver() {
            return ended || read == length;
        }
    }
}
