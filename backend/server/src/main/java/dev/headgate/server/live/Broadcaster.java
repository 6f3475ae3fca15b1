package dev.headgate.server.live;

import dev.headgate.engine.Pool;
import dev.headgate.engine.governor.Decision;
import dev.headgate.engine.governor.PoolStatus;
import dev.headgate.engine.meter.MergedWindow;
import dev.headgate.server.api.AlarmJson;
import dev.headgate.server.api.ConnectionColumns;
import dev.headgate.server.api.DatabaseSummaryJson;
import dev.headgate.server.api.DecisionJson;
import dev.headgate.server.api.PoolJson;
import dev.headgate.server.api.Second;
import dev.headgate.server.feed.FeedThread;
import dev.headgate.server.feed.Listener;
import dev.headgate.server.history.SecondListener;
import dev.headgate.spi.Tier;
import dev.headgate.spi.Window;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/**
 * Puts the feed's data into the clients' mailboxes: slices at each client's rate, events at once. Runs only on the feed's thread,
 * except {@link #publish}. Knows no sockets and encodes nothing.
 *
 * <p>All clients of one rate share a {@link Slicer} and get the same slice on the same turn, so the work per window grows
 * with the number of rates in use (there are at most {@code 100} different ones), not with the number of clients. A domain that
 * no client wants in full is looked at once a second, for its alarms and for the {@link Summary}.
 */
@Component
class Broadcaster implements Listener, SecondListener {

    private static final int TURNS_PER_SWEEP = 100;
    private static final long TURNS_PER_SUMMARY = FeedThread.TURNS_PER_SECOND;

    /** A pool and its last read state. */
    private record State(Pool pool, Tier tier, PoolJson shown, Map<String, AlarmJson> alarms) {}

    private final Fleet fleet;
    private final Clients clients;
    private final RecentEvents recent;
    private final JsonMapper mapper;

    private final Map<Integer, Slicer> slicers = new HashMap<>();
    private final Map<String, Pool> measured = new LinkedHashMap<>();
    private final Map<String, State> states = new HashMap<>();
    private final Summaries summaries;

    Broadcaster(Fleet fleet, Clients clients, RecentEvents recent, Summaries summaries, JsonMapper mapper) {
        this.fleet = fleet;
        this.clients = clients;
        this.recent = recent;
        this.mapper = mapper;
        this.summaries = summaries;
    }

    /** Sends an event to the clients whose subscription covers it. Any thread; does not block. */
    void publish(Event event) {
        recent.add(event);
        clients.each(mailbox -> mailbox.offer(event));
    }

    @Override
    public void window(Pool pool, Instant end, Window window) {
        measured.put(pool.domain(), pool);
        MergedWindow one = MergedWindow.of(window);
        slicers.values().forEach(slicer -> slicer.add(pool.domain(), one));
    }

    @Override
    public void second(Pool pool, Second second) {
        Encoded<Second> encoded = new Encoded<>(second, mapper);
        slicers.values().forEach(slicer -> slicer.add(pool.domain(), encoded));
    }

    @Override
    public void decided(Decision decision) {
        publish(Event.decision(DecisionJson.of(decision)));
    }

    @Override
    public void turn(long number, Instant now) {
        boolean all = number % TURNS_PER_SUMMARY == 0;
        measured.entrySet().removeIf(each -> {
            boolean due = all
                    || slicers.values().stream()
                            .anyMatch(slicer -> slicer.wanted().covers(each.getKey()));
            if (due) {
                look(now, each.getKey(), each.getValue());
            }
            return due;
        });
        if (number % TURNS_PER_SWEEP == 0) {
            forgetTheGone();
        }
        slice(number, now);
    }

    private void look(Instant now, String domain, Pool pool) {
        PoolStatus status = pool.status();
        PoolJson shown = PoolJson.of(status);
        State before = states.get(domain);
        Map<String, AlarmJson> earlier = before == null ? Map.of() : before.alarms();
        Map<String, AlarmJson> standing = new LinkedHashMap<>();
        shown.alarms().forEach(alarm -> standing.put(alarm.code(), alarm));
        states.put(domain, new State(pool, status.tier(), shown, standing));
        earlier.forEach((code, alarm) -> {
            if (!standing.containsKey(code)) {
                publish(Event.alarm(now, domain, alarm, false));
            }
        });
        standing.forEach((code, alarm) -> {
            if (!earlier.containsKey(code)) {
                publish(Event.alarm(now, domain, alarm, true));
            }
        });
    }

    private void forgetTheGone() {
        Set<String> names = new HashSet<>();
        fleet.pools().forEach(pool -> names.add(pool.domain()));
        states.keySet().retainAll(names);
        slicers.values().forEach(slicer -> slicer.keep(names));
        Set<String> databases = new HashSet<>();
        fleet.databases().forEach(database -> databases.add(database.name()));
        summaries.keep(names, databases);
    }

    /** What has changed of all domains and databases since it was last asked. */
    private Summary summarise() {
        states.values()
                .forEach(state ->
                        summaries.look(state.tier(), state.shown(), state.pool().turnedAway()));
        fleet.databases().forEach(database -> summaries.look(DatabaseSummaryJson.withoutAnswers(database.status())));
        return summaries.changes();
    }

    private void slice(long number, Instant now) {
        Map<Integer, List<Mailbox>> byRate = new HashMap<>();
        clients.each(mailbox -> {
            Subscription subscription = mailbox.subscription();
            if (subscription != null) {
                byRate.computeIfAbsent(subscription.turnsPerFrame(), turns -> new ArrayList<>())
                        .add(mailbox);
            }
        });
        slicers.keySet().retainAll(byRate.keySet());
        byRate.forEach((turns, mailboxes) -> slicers.computeIfAbsent(turns, ignored -> new Slicer(mapper))
                .serve(mailboxes.stream()
                        .map(Mailbox::subscription)
                        .filter(Objects::nonNull)
                        .toList()));
        if (number % TURNS_PER_SUMMARY == 0) {
            Summary changes = summarise();
            slicers.values().forEach(slicer -> slicer.add(changes));
        }
        Map<String, DatabaseSummaryJson> databases = new LinkedHashMap<>();
        Map<String, Encoded<ConnectionColumns>> columns = new HashMap<>();
        byRate.forEach((turns, mailboxes) -> {
            Slicer slicer = slicers.get(turns);
            if (slicer != null && number % turns == 0) {
                if (databases.isEmpty()) {
                    fleet.databases()
                            .forEach(each -> databases.put(each.name(), DatabaseSummaryJson.of(each.status())));
                }
                Map<String, Slice.Domain> domains = new LinkedHashMap<>();
                Slicer.Cut cut = slicer.cut();
                cut.sums().forEach((domain, sum) -> {
                    State state = states.get(domain);
                    if (state != null) {
                        domains.put(
                                domain,
                                Slice.Domain.of(
                                        state.shown(),
                                        sum,
                                        columns(state, slicer.wanted(), columns),
                                        slicer.rests(state.shown(), sum, number),
                                        mapper));
                    }
                });
                Slice slice = new Slice(now, domains, cut.seconds(), Map.copyOf(databases), cut.summary());
                mailboxes.forEach(mailbox -> mailbox.offer(slice));
            }
        });
    }

    /** A domain's connections if a client wants them. Read once per turn for all rates. */
    private @Nullable Encoded<ConnectionColumns> columns(
            State state, Subscription wanted, Map<String, Encoded<ConnectionColumns>> read) {
        String domain = state.pool().domain();
        return wanted.coversConnections(domain)
                ? read.computeIfAbsent(
                        domain,
                        name -> new Encoded<>(ConnectionColumns.of(state.pool().connections()), mapper))
                : null;
    }
}
