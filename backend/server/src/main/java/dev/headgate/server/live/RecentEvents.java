package dev.headgate.server.live;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/** The last events, for snapshots. Safe for use by several threads. */
final class RecentEvents {

    static final int IN_A_SNAPSHOT = 50;

    /** Enough for every domain of a large installation to find some of its own. */
    private static final int KEPT = 2_000;

    private final Deque<Event> events = new ArrayDeque<>();

    synchronized void add(Event event) {
        if (event instanceof Event.AlarmsChanged) {
            return; // says nothing about the past
        }
        if (event instanceof Event.Decided repeated && repeated.decision().count() > 1) {
            events.removeIf(known -> known instanceof Event.Decided earlier
                    && earlier.decision().id().equals(repeated.decision().id()));
        }
        events.addLast(event);
        if (events.size() > KEPT) {
            events.removeFirst();
        }
    }

    /** The last {@link #IN_A_SNAPSHOT} that a subscription covers, oldest first. */
    synchronized List<Event> of(Subscription subscription) {
        List<Event> found = new ArrayList<>();
        Iterator<Event> newestFirst = events.descendingIterator();
        while (newestFirst.hasNext() && found.size() < IN_A_SNAPSHOT) {
            Event event = newestFirst.next();
            if (subscription.coversEvents(event.about())) {
                found.add(event);
            }
        }
        return found.reversed();
    }
}
