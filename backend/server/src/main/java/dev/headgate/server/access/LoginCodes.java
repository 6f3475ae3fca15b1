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
 * Codes that open one browser session each. A code stands in an address where the token must not: addresses stay in a
 * browser's history, in a terminal and in logs, and a code that was used or is an hour old opens nothing. Codes are kept in
 * memory alone. Safe for any thread.
 */
@Component
public final class LoginCodes {

    static final Duration LIFETIME = Duration.ofHours(1);

    /** Codes that are kept; the oldest is forgotten first. */
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

    /** A new code: 256 random bits, fit for a URL. */
    public synchronized Issued issue() {
        if (issued.size() == MOST) {
            issued.removeFirst();
        }
        Issued made = new Issued(AdminToken.random(), clock.instant().plus(LIFETIME));
        issued.addLast(made);
        return made;
    }

    /** Takes a code out of use. Answers whether it was valid until now. */
    synchronized boolean spend(String offered) {
        Instant now = clock.instant();
        issued.removeIf(each -> !each.ends().isAfter(now));
        byte[] bytes = offered.getBytes(StandardCharsets.UTF_8);
        return issued.removeIf(each -> MessageDigest.isEqual(each.code().getBytes(StandardCharsets.UTF_8), bytes));
    }
}
