package dev.headgate.server.access;

import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.context.SecurityContextImpl;
import org.springframework.stereotype.Service;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * Who is asking. A WebSocket handler asks {@link #isAllowed} of its session's principal: the handshake itself is let
 * through without a credential, so that a browser can be told why it was closed.
 */
@Service
public class Access {

    private final Sessions sessions;

    Access(Sessions sessions) {
        this.sessions = sessions;
    }

    /** Who made the request that this thread is answering; {@link Actor#SYSTEM} where there is none. */
    public Actor actor() {
        Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
        return authentication instanceof Credential credential ? credential.actor() : Actor.SYSTEM;
    }

    /** Whether the request that this thread is answering shows a valid token or session. */
    public boolean isKnown() {
        return SecurityContextHolder.getContext().getAuthentication() instanceof Credential;
    }

    /** Who makes a request, for limits: the token, a browser session, or else an address. Never shown: it may name a session. */
    public String caller(HttpServletRequest request) {
        return callerOf(request);
    }

    static String callerOf(HttpServletRequest request) {
        if (SecurityContextHolder.getContext().getAuthentication() instanceof Credential credential) {
            return credential.session() == null ? "token" : "session " + credential.session();
        }
        return "address " + request.getRemoteAddr();
    }

    /** Does something in the name of someone who makes no request; {@link #actor()} on this thread is theirs meanwhile. */
    public void actAs(Actor actor, Runnable work) {
        SecurityContext before = SecurityContextHolder.getContext();
        SecurityContextHolder.setContext(new SecurityContextImpl(new Credential(actor, null)));
        try {
            work.run();
        } finally {
            SecurityContextHolder.setContext(before);
        }
    }

    /** The address the request came from; empty where no request is being answered. */
    public String remote() {
        if (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes) {
            HttpServletRequest request = attributes.getRequest();
            return String.valueOf(request.getRemoteAddr());
        }
        return "";
    }

    /**
     * Whether the principal of a request or a WebSocket session was authenticated and still is: false once its browser
     * session has ended.
     *
     * @param principal may be null
     */
    public boolean isAllowed(@org.jspecify.annotations.Nullable Principal principal) {
        return principal instanceof Credential credential
                && (credential.session() == null || sessions.isOpen(credential.session()));
    }
}
