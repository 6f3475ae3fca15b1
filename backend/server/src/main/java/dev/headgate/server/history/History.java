package dev.headgate.server.history;

import dev.headgate.engine.Pool;
import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.memory.MemoryAccount.Share;
import dev.headgate.server.api.HistoryJson;
import dev.headgate.server.api.Scope;
import dev.headgate.server.api.Second;
import dev.headgate.server.feed.Listener;
import dev.headgate.server.limits.Holders;
import dev.headgate.server.policies.PolicyChanged;
import dev.headgate.spi.Window;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Service;

/**
 * The measurements of the last hour, by domain and second, in memory. Any thread may read it; a reader waits at most for
 * one row that is being written. {@link Archive} keeps them in the store, and {@link HistoryAtStart} brings them back.
 *
 * <p>Its memory is reserved as it grows. If there is none left, the domain that holds the most loses its oldest seconds. So those that
 * need much share what is there, and take nothing from those that need little.
 */
@Service
public class History implements Listener {

    /** The longest history. */
    public static final Duration LENGTH = Duration.ofSeconds(DomainHistory.SECONDS);

    /** The history of a domain without measurements for this time is dropped. */
    private static final Duration FORGOTTEN_AFTER = LENGTH;

    /** @param pool null until it is heard of, where the history is that of a former process */
    private record Kept(@Nullable Pool pool, DomainHistory history, Share memory, Instant heard) {

        Kept heard(Pool again, Instant now) {
            return new Kept(again, history, memory, now);
        }

        /** Whether it is the history of another domain, which had the same name. */
        @SuppressWarnings("ReferenceEquality") // a pool is what it is by identity
        boolean isOfAnother(Pool other) {
            return pool != null && pool != other;
        }
    }

    private final Map<String, Kept> domains = new ConcurrentHashMap<>();
    private final Clock clock;
    private final MemoryAccount account;
    private final List<SecondListener> listeners;
    private final List<PeriodListener> periods;

    History(Clock clock, MemoryAccount account, List<SecondListener> listeners, List<PeriodListener> periods) {
        this.clock = clock;
        this.account = account;
        this.listeners = List.copyOf(listeners);
        this.periods = List.copyOf(periods);
    }

    /** The last {@code length} of a domain; empty if it has no measurements yet. */
    public Optional<HistoryJson> of(String domain, Duration length) {
        return later(domain, length).map(Supplier::get);
    }

    /** The same, read when it is asked for; then of a domain that was removed in between as well. */
    public Optional<Supplier<HistoryJson>> later(String domain, Duration length) {
        return Optional.ofNullable(domains.get(domain))
                .map(kept -> () -> kept.history().last(length, clock.instant()));
    }

    /** The second that holds an instant; empty if there is no row of it in memory. */
    Optional<Second> at(String domain, Instant at) {
        return Optional.ofNullable(domains.get(domain))
                .flatMap(kept -> kept.history().row(at.getEpochSecond()));
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

    /**
     * Adds what is known of the last hour and not in memory: what a former process measured, and when revisions took effect. Where
     * there is no memory, the older seconds are left out.
     *
     * @param seconds oldest first
     */
    void restore(String domain, List<Second> seconds, List<HistoryJson.Marker> markers) {
        domains.computeIfAbsent(domain, name -> begin(null, name, clock.instant()))
                .history()
                .restore(seconds, markers);
    }

    @Override
    public void window(Pool pool, Instant end, Window window) {
        Kept kept = Objects.requireNonNull(domains.compute(pool.domain(), (domain, before) -> {
            if (before != null && before.isOfAnother(pool)) {
                before.memory().close();
                before = null;
            }
            return before == null ? begin(pool, domain, end) : before.heard(pool, end);
        }));
        kept.history().add(end, window, pool::status).ifPresent(over -> tell(pool, over));
    }

    @Override
    public void turn(long number, Instant now) {
        domains.values().forEach(kept -> {
            Pool pool = kept.pool();
            if (pool != null) {
                kept.history().finish(now, pool::status).ifPresent(over -> tell(pool, over));
            }
        });
        domains.values().removeIf(kept -> isForgotten(kept, now));
    }

    private static boolean isForgotten(Kept kept, Instant now) {
        boolean forgotten = kept.heard().isBefore(now.minus(FORGOTTEN_AFTER));
        if (forgotten) {
            kept.memory().close();
        }
        return forgotten;
    }

    private Kept begin(@Nullable Pool pool, String domain, Instant now) {
        Share memory = account.share(Holders.HISTORY, domain);
        DomainHistory history = new DomainHistory(new Rows.Room() {
            @Override
            public boolean take(long bytes) {
                while (!memory.tryReserve(bytes)) {
                    if (!dropOldestOfLargest()) {
                        return false;
                    }
                }
                return true;
            }

            @Override
            public boolean takeFree(long bytes) {
                return memory.tryReserve(bytes);
            }

            @Override
            public void give(long bytes) {
                memory.release(bytes);
            }
        });
        return new Kept(pool, history, memory, now);
    }

    /** Only on the feed's thread, which holds the lock of the domain that needs room. */
    private boolean dropOldestOfLargest() {
        Optional<DomainHistory> largest = domains.values().stream()
                .filter(kept -> kept.history().canDrop())
                .max(Comparator.comparingLong(kept -> kept.memory().reserved()))
                .map(Kept::history);
        largest.ifPresent(DomainHistory::dropOldest);
        return largest.isPresent();
    }

    private void tell(Pool pool, DomainHistory.Over over) {
        listeners.forEach(listener -> listener.second(pool, over.second()));
        if (!periods.isEmpty()) {
            Period period = Period.of(over.second(), over.measured());
            periods.forEach(listener -> listener.second(pool, period));
        }
    }
}
