package dev.headgate.server.access;

import dev.headgate.server.HeadgateProperties;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/**
 * The browsers' sessions. An id says when it ends and is signed (HMAC-SHA-256, RFC 2104) with a key that follows from the
 * administrator's token: so a page goes on by itself after a restart of the service, and another token ends every session.
 * A session that was closed is remembered until it would have ended, in memory. Safe for any thread.
 */
@Component
final class Sessions {

    private final Duration lifetime;
    private final Clock clock;
    private final SecretKeySpec key;
    private final ConcurrentMap<String, Instant> closed = new ConcurrentHashMap<>();

    @Autowired
    Sessions(HeadgateProperties properties, AdminToken token) {
        this(properties.access().sessionLifetime(), Clock.systemUTC(), token.value());
    }

    Sessions(Duration lifetime, Clock clock, String token) {
        this.lifetime = lifetime;
        this.clock = clock;
        this.key = new SecretKeySpec(("headgate session " + token).getBytes(StandardCharsets.UTF_8), "HmacSHA256");
    }

    String open() {
        String claim = clock.instant().plus(lifetime).getEpochSecond() + "." + AdminToken.random();
        return claim + "." + signature(claim);
    }

    boolean isOpen(String id) {
        int dot = id.lastIndexOf('.');
        if (dot < 0 || !matches(signature(id.substring(0, dot)), id.substring(dot + 1))) {
            return false;
        }
        return ends(id).isAfter(clock.instant()) && !closed.containsKey(id);
    }

    void close(String id) {
        Instant now = clock.instant();
        closed.values().removeIf(ends -> ends.isBefore(now));
        if (isOpen(id)) {
            closed.put(id, ends(id));
        }
    }

    /** Of an id whose signature is ours. */
    private static Instant ends(String id) {
        return Instant.ofEpochSecond(Long.parseLong(id.substring(0, id.indexOf('.'))));
    }

    private static boolean matches(String expected, String offered) {
        return MessageDigest.isEqual(
                expected.getBytes(StandardCharsets.UTF_8), offered.getBytes(StandardCharsets.UTF_8));
    }

    private String signature(String claim) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(key);
            return Base64.getUrlEncoder()
                    .withoutPadding()
                    .encodeToString(mac.doFinal(claim.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("HMAC-SHA-256 is part of every JDK", e);
        }
    }
}
