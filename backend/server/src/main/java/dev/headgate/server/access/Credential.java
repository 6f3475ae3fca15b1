package dev.headgate.server.access;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.security.authentication.AbstractAuthenticationToken;
import org.springframework.security.core.authority.SimpleGrantedAuthority;

/** The authentication of a request. */
final class Credential extends AbstractAuthenticationToken {

    private static final long serialVersionUID = 1;
    private static final int KEY_BYTES = 12;

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

    /** A name for limits. What is counted by it outlives the session, so it does not contain the session's id. */
    String key() {
        if (session != null) {
            return "session " + hash(session);
        }
        return actor.equals(Actor.ADMIN) ? "token" : actor.role() + " " + actor.name();
    }

    private static String hash(String id) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(id.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, KEY_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256 is part of every JDK", e);
        }
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
