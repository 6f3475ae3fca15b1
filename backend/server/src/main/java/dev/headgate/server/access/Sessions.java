package dev.headgate.server.access;

import dev.headgate.server.HeadgateProperties;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.springframework.stereotype.Component;

/** The browsers' sessions: opaque ids, kept in memory alone, so that a restart ends them all. Safe for any thread. */
@Component
final class Sessions {

    private static final int MOST = 1_000;

    private final ConcurrentMap<String, Instant> lastUsed = new ConcurrentHashMap<>();
    private final Duration lifetime;
    private final Clock clock;

    @org.springframework.beans.factory.annotation.Autowired
    Sessions(HeadgateProperties properties) {
        this(properties.access().sessionLifetime(), Clock.systemUTC());
    }

    Sessions(Duration lifetime, Clock clock) {
        this.lifetime = lifetime;
        this.clock = clock;
    }

    String open() {
        Instant now = clock.instant();
        lastUsed.values().removeIf(used -> used.plus(lifetime).isBefore(now));
        while (lastUsed.size() >= MOST) {
            lastUsed.entrySet().stream()
                    .min(java.util.Map.Entry.comparingByValue())
                    .ifPresent(oldest -> lastUsed.remove(oldest.getKey()));
        }
        String id = AdminToken.random();
        lastUsed.put(id, now);
        return id;
    }

    /** Whether it is open; that counts as a use. */
    boolean isOpen(String id) {
        Instant now = clock.instant();
        return lastUsed.computeIfPresent(id, (key, used) -> used.plus(lifetime).isBefore(now) ? null : now) != null;
    }

    void close(String id) {
        lastUsed.remove(id);
    }
}
