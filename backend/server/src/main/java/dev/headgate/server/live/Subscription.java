package dev.headgate.server.live;

import dev.headgate.server.feed.FeedThread;
import java.util.Set;

/**
 * A client's subscription.
 *
 * @param domains names, or {@code "*"}
 * @param rateHz the most frames per second
 * @param connections the domains whose single connections are wanted, names or {@code "*"}
 */
record Subscription(Set<String> domains, double rateHz, Set<String> connections) {

    static final double LOWEST_RATE = 0.2;
    static final double HIGHEST_RATE = 10;
    static final String EVERY = "*";

    Subscription {
        domains = Set.copyOf(domains);
        connections = Set.copyOf(connections);
    }

    boolean all() {
        return domains.contains(EVERY);
    }

    boolean covers(String domain) {
        return all() || domains.contains(domain);
    }

    boolean coversConnections(String domain) {
        return covers(domain) && (connections.contains(EVERY) || connections.contains(domain));
    }

    /** The number of feed turns between two frames: the rate, rounded to the feed's steps. */
    int turnsPerFrame() {
        return (int) Math.round(1_000.0 / FeedThread.PERIOD_MILLIS / rateHz);
    }
}
