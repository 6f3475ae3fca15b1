package dev.headgate.server.live;

import dev.headgate.server.access.Access;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.socket.WebSocketHttpHeaders;

/**
 * Decides whose frames are compressed. Tomcat takes every offer of {@code permessage-deflate} (RFC 7692), so those that it is not to
 * take are hidden from it.
 *
 * <p>Each compressed socket has some 300 kB of zlib's outside of the heap. So only callers who are known get it, and {@value
 * #MOST} of them at once (handshakes at the same moment may add a few): the next ones get the same frames plain. The sockets of {@code /v2} carry rows, and the length of
 * a compressed row tells how well what a caller sent matches a secret in it (CRIME, BREACH): they are never compressed.
 */
@Component
final class DeflateOffers extends OncePerRequestFilter {

    /** Clients of the stream with compressed frames. */
    static final int MOST = 256;

    private final Access access;
    private final Clients clients;

    DeflateOffers(Access access, Clients clients) {
        this.access = access;
        this.clients = clients;
    }

    @Override
    protected boolean shouldNotFilter(HttpServletRequest request) {
        return request.getHeader(WebSocketHttpHeaders.SEC_WEBSOCKET_EXTENSIONS) == null;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        boolean taken = request.getServletPath().equals(StreamConfiguration.PATH)
                && access.isKnown()
                && clients.deflated() < MOST;
        chain.doFilter(taken ? request : new WithoutOffers(request), response);
    }

    private static final class WithoutOffers extends HttpServletRequestWrapper {

        WithoutOffers(HttpServletRequest request) {
            super(request);
        }

        private static boolean isOffer(String header) {
            return header.equalsIgnoreCase(WebSocketHttpHeaders.SEC_WEBSOCKET_EXTENSIONS);
        }

        @Override
        public @Nullable String getHeader(String name) {
            return isOffer(name) ? null : super.getHeader(name);
        }

        @Override
        public Enumeration<String> getHeaders(String name) {
            return isOffer(name) ? Collections.emptyEnumeration() : super.getHeaders(name);
        }

        @Override
        public Enumeration<String> getHeaderNames() {
            List<String> names = Collections.list(super.getHeaderNames());
            names.removeIf(WithoutOffers::isOffer);
            return Collections.enumeration(names);
        }
    }
}
