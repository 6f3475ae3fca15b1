package dev.headgate.server.history;

import dev.headgate.engine.Pool;
import dev.headgate.server.api.HistoryJson;
import dev.headgate.server.api.Scope;
import dev.headgate.server.api.Second;
import dev.headgate.server.feed.Listener;
import dev.headgate.server.policies.PolicyChanged;
import dev.headgate.spi.Window;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Service;

/**
 * The measurements of the last hour, by domain and second, in memory only. Any thread may read it; a reader waits at most for
 * one row that is being written.
 */
@Service
public class History implements Listener {

    /** The farthest back that history goes. */
    public static final Duration LENGTH = Duration.ofSeconds(DomainHistory.SECONDS);

    /** A domain that was not heard of for so long is gone, and its history with it. */
    private static final Duration FORGOTTEN_AFTER = LENGTH;

    private record Kept(Pool pool, DomainHistory history, Instant heard) {}

    private final Map<String, Kept> domains = new ConcurrentHashMap<>();
    private final Clock clock;
    private final List<SecondListener> listeners;

    History(Clock clock, List<SecondListener> listeners) {
        this.clock = clock;
        this.listeners = List.copyOf(listeners);
    }

    /** The last {@code length} of a domain; empty as long as nothing of it was measured. */
    public Optional<HistoryJson> of(String domain, Duration length) {
        return Optional.ofNullable(domains.get(domain))
                .map(kept -> kept.history().last(length, clock.instant()));
    }

    /** Marks the moment at which a revision of a domain's policy set took effect. */
    @EventListener
    void on(PolicyChanged change) {
        Kept kept = change.scope().kind() == Scope.Kind.DOMAIN
                ? domains.get(change.scope().name())
                : null;
        if (kept != null) {
            kept.history().mark(new HistoryJson.Marker(change.time(), change.revision(), change.actor()));
        }
    }

    @Override
    public void window(Pool pool, Instant end, Window window) {
        Kept before = domains.get(pool.domain());
        DomainHistory history = before == null ? new DomainHistory() : before.history();
        domains.put(pool.domain(), new Kept(pool, history, end));
        history.add(Measured.of(end, window), pool::status).ifPresent(second -> tell(pool, second));
    }

    @Override
    public void turn(long number, Instant now) {
        domains.values()
                .forEach(kept ->
                        kept.history().finish(now, kept.pool()::status).ifPresent(second -> tell(kept.pool(), second)));
        domains.values().removeIf(kept -> kept.heard().isBefore(now.minus(FORGOTTEN_AFTER)));
    }

    private void tell(Pool pool, Second second) {
        listeners.forEach(listener -> listener.second(pool, second));
    }
}
