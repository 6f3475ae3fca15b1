package dev.headgate.server.access;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import org.springframework.stereotype.Component;

/**
 * Codes that open one browser session each. A code may appear in an address, unlike the token: addresses stay in a browser's history,
 * in terminals and in logs, but a code is useless after its use or after an hour. Codes are kept only in memory. Safe for any thread.
 */
@Component
public final class LoginCodes {

    static final Duration LIFETIME = Duration.ofHours(1);

    /** The most codes that are kept. The oldest is dropped first. */
    private static final int MOST = 100;

    /** @param ends when the code is no longer valid */
    public record Issued(String code, Instant ends) {}

    private final Clock clock;
    private final Deque<Issued> issued = new ArrayDeque<>();

    LoginCodes() {
        this(Clock.systemUTC());
    }

    LoginCodes(Clock clock) {
        this.clock = clock;
    }

    /** A new code: 256 random bits, safe in a URL. */
    public synchronized Issued issue() {
        if (issued.size() == MOST) {
            issued.removeFirst();
        }
        Issued made = new Issued(AdminToken.random(), clock.instant().plus(LIFETIME));
        issued.addLast(made);
        return made;
    }

    /** Invalidates a code. Returns whether it was valid. */
    synchronized boolean spend(String offered) {
        Instant now = clock.instant();
        issued.removeIf(each -> !each.ends().isAfter(now));
        byte[] bytes = offered.getBytes(StandardCharsets.UTF_8);
        return issued.removeIf(each -> MessageDigest.isEqual(each.code().getBytes(StandardCharsets.UTF_8), bytes));
    }
}
