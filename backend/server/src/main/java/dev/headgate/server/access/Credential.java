package dev.headgate.server.access;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.security.authentication.AbstractAuthenticationToken;
import org.springframework.security.core.authority.SimpleGrantedAuthority;

/** The authentication of a request. */
final class Credential extends AbstractAuthenticationToken {

    private static final long serialVersionUID = 1;

    private final transient Actor actor;
    private final @Nullable String session;

    /** @param session the browser session; null for the token */
    Credential(Actor actor, @Nullable String session) {
        super(List.of(new SimpleGrantedAuthority("ROLE_" + actor.role())));
        this.actor = actor;
        this.session = session;
        setAuthenticated(true);
    }

    Actor actor() {
        return actor;
    }

    @Nullable
    String session() {
        return session;
    }

    /**
     * A name for limits: the token. All sessions that it has opened share another one, so that a script does not lock out the
     * browsers.
     */
    String key() {
        if (session != null) {
            return "sessions of " + actor.name();
        }
        return actor.equals(Actor.ADMIN) ? "token" : actor.role() + " " + actor.name();
    }

    @Override
    public Object getCredentials() {
        return "";
    }

    @Override
    public Object getPrincipal() {
        return actor.name();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }
}
