package dev.headgate.server.access;

import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.wire.AddressBlock;
import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.context.SecurityContextImpl;
import org.springframework.stereotype.Service;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * Identifies the caller. A WebSocket handler calls {@link #isAllowed} with its session's principal, because the handshake is accepted
 * without a credential, so that a browser learns why it is closed.
 */
@Service
public class Access {

    private final Sessions sessions;
    private final FailedLogins failedLogins;

    Access(Sessions sessions, FailedLogins failedLogins) {
        this.sessions = sessions;
        this.failedLogins = failedLogins;
    }

    /** The author of this thread's current request; {@link Actor#SYSTEM} if there is none. */
    public Actor actor() {
        Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
        return authentication instanceof Credential credential ? credential.actor() : Actor.SYSTEM;
    }

    /**
     * Lets through the author of something and the administrator.
     *
     * @throws ProblemException forbidden for anybody else
     */
    public void requireAuthor(Actor author) {
        Actor caller = actor();
        if (!caller.equals(author) && !caller.equals(Actor.ADMIN)) {
            throw ProblemException.of(ProblemType.FORBIDDEN, "It belongs to " + author.name() + ".");
        }
    }

    /** Whether this thread's current request has a valid token or session. */
    public boolean isKnown() {
        return SecurityContextHolder.getContext().getAuthentication() instanceof Credential;
    }

    /** Whether it has a valid token itself, and not a session that was opened with one. */
    public boolean hasToken() {
        return SecurityContextHolder.getContext().getAuthentication() instanceof Credential credential
                && credential.session() == null;
    }

    /** Makes the client of a domain, which has shown its password, the author of this thread's current request. */
    public void admitClient(String domain, String user) {
        SecurityContextHolder.getContext()
                .setAuthentication(new Credential(new Actor(domain + "/" + user, "client"), null));
    }

    /** Records a wrong password of a domain's client. @return a refusal, if its address has failed too often within a minute */
    public Optional<ProblemException> wrongPassword(HttpServletRequest request, String domain, String user) {
        return failedLogins.failed(String.valueOf(request.getRemoteAddr()), "password", domain, user);
    }

    /** Records a wrong password at the wire port. Does not block. */
    public void wrongPasswordAtWire(String address, String domain, String user) {
        Optional<ProblemException> _ = failedLogins.failed(address, "wire", domain, user);
    }

    /** Whether an address has shown too many wrong passwords within a minute to try one more now. Does not block. */
    public boolean isSlowed(String address) {
        return failedLogins.isSlowed(address);
    }

    /** The key of a caller for limits: the token, its browser sessions together, or else an address. */
    public String caller(HttpServletRequest request) {
        return callerOf(request);
    }

    /** The same of this thread's current request. */
    public String caller() {
        return key(SecurityContextHolder.getContext().getAuthentication(), remote());
    }

    /** The same of a WebSocket session's principal. */
    public String caller(@Nullable Principal principal, String address) {
        return key(principal, address);
    }

    static String callerOf(HttpServletRequest request) {
        return key(SecurityContextHolder.getContext().getAuthentication(), String.valueOf(request.getRemoteAddr()));
    }

    private static String key(@Nullable Principal principal, String address) {
        return principal instanceof Credential credential ? credential.key() : "address " + AddressBlock.of(address);
    }

    /** Runs work for an actor without a request. Meanwhile {@link #actor()} returns that actor on this thread. */
    public void actAs(Actor actor, Runnable work) {
        SecurityContext before = SecurityContextHolder.getContext();
        SecurityContextHolder.setContext(new SecurityContextImpl(new Credential(actor, null)));
        try {
            work.run();
        } finally {
            SecurityContextHolder.setContext(before);
        }
    }

    /** The address of this thread's current request; empty if there is none. */
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
    public boolean isAllowed(@Nullable Principal principal) {
        return principal instanceof Credential credential
                && (credential.session() == null || sessions.isOpen(credential.session()));
    }
}
