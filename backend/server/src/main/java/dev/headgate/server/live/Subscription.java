package dev.headgate.server.live;

import dev.headgate.server.feed.FeedThread;
import java.util.Collection;
import java.util.Comparator;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A client's subscription. All sets hold names of domains, or {@code "*"}.
 *
 * @param domains those that are wanted in full
 * @param rateHz the most frames per second
 * @param connections those among {@code domains} whose single connections are wanted
 * @param seconds those of which the ended seconds are wanted, beside {@code domains}
 * @param events those whose events are wanted
 * @param summary what is wanted of every domain, at most once a second; null if nothing is
 */
record Subscription(
        Set<String> domains,
        double rateHz,
        Set<String> connections,
        Set<String> seconds,
        Set<String> events,
        Summary.@Nullable Part summary) {

    static final double LOWEST_RATE = 0.2;
    static final double HIGHEST_RATE = 10;
    static final String EVERY = "*";
    private static final int FEW_NAMES = 64;
    static final int FEW_DOMAINS = 16;

    /** A long one, with its place in a set. */
    private static final long NAME_BYTES = 150;

    static final Subscription NOTHING = new Subscription(Set.of(), HIGHEST_RATE, Set.of());

    Subscription {
        domains = Set.copyOf(domains);
        connections = Set.copyOf(connections);
        seconds = Set.copyOf(seconds);
        events = Set.copyOf(events);
    }

    /** Domains in full with their events, and nothing of the others. */
    Subscription(Set<String> domains, double rateHz, Set<String> connections) {
        this(domains, rateHz, connections, Set.of(), domains, null);
    }

    /** Everything that any of these wants. Its rate says nothing. */
    static Subscription union(Collection<Subscription> of) {
        return new Subscription(
                names(of, Subscription::domains),
                HIGHEST_RATE,
                names(of, Subscription::connections),
                names(of, Subscription::seconds),
                names(of, Subscription::events),
                of.stream()
                        .map(Subscription::summary)
                        .filter(Objects::nonNull)
                        .max(Comparator.naturalOrder())
                        .orElse(null));
    }

    private static Set<String> names(Collection<Subscription> of, Function<Subscription, Set<String>> part) {
        return of.stream().map(part).flatMap(Set::stream).collect(Collectors.toSet());
    }

    /** An estimate of the memory that its names take. Some names take no more than the rest of a stream. */
    long bytes() {
        int names = domains.size() + connections.size() + seconds.size() + events.size();
        return Math.max(0, names - FEW_NAMES) * NAME_BYTES;
    }

    boolean all() {
        return domains.contains(EVERY);
    }

    /** Whether its frames may have many domains in full. */
    boolean isWide() {
        return all() || domains.size() > FEW_DOMAINS;
    }

    boolean covers(String domain) {
        return has(domains, domain);
    }

    boolean coversConnections(String domain) {
        return covers(domain) && has(connections, domain);
    }

    boolean coversSeconds(String domain) {
        return covers(domain) || has(seconds, domain);
    }

    /** @param about the domain that an event concerns; null if it concerns everyone */
    boolean coversEvents(@Nullable String about) {
        return about == null || has(events, about);
    }

    /** Whether all databases are wanted, also those of which no domain is. */
    boolean allDatabases() {
        return all() || summary != null;
    }

    /** The number of feed turns between two frames: the rate, rounded to the feed's steps. */
    int turnsPerFrame() {
        return (int) Math.round(1_000.0 / FeedThread.PERIOD_MILLIS / rateHz);
    }

    private static boolean has(Set<String> names, String domain) {
        return names.contains(EVERY) || names.contains(domain);
    }
}
