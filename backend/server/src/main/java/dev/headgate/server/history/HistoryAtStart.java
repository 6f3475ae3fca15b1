package dev.headgate.server.history;

import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.server.api.HistoryJson;
import dev.headgate.server.api.Scope;
import dev.headgate.server.api.Second;
import dev.headgate.server.domains.DomainsChanged;
import dev.headgate.server.policies.Policies;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Brings the last hour of every domain back into memory when the service starts, so that its charts go on where they were. Reads on
 * a thread of its own: the service does not wait for it. The first revision of a domain that is made later is brought, too: it took
 * effect before anything was measured, and nobody tells of it as of a change.
 */
@Component
class HistoryAtStart implements SmartLifecycle {

    private static final String TASK = "headgate-history-start";
    private static final int MOST_MARKERS = 50;

    private final ChunkStore store;
    private final History history;
    private final Policies policies;
    private final Clock clock;
    private final Supervisor supervisor;
    private volatile boolean begun;

    HistoryAtStart(ChunkStore store, History history, Policies policies, Clock clock, Supervisor supervisor) {
        this.store = store;
        this.history = history;
        this.policies = policies;
        this.clock = clock;
        this.supervisor = supervisor;
    }

    /** Blocks on the store. */
    void restore() {
        Instant now = clock.instant();
        Instant from = now.minus(History.LENGTH);
        for (String domain : store.domains()) {
            List<Second> seconds = new ArrayList<>();
            Sum sum = new Sum();
            for (Chunk chunk : store.seconds(domain, from.getEpochSecond())) {
                for (Period period : Archive.periods(chunk)) {
                    sum.clear();
                    sum.add(period);
                    seconds.add(sum.toSecond(Instant.ofEpochSecond(period.start() + 1)));
                }
            }
            List<HistoryJson.Marker> markers = markers(domain, now);
            if (!seconds.isEmpty()) {
                history.restore(domain, seconds, markers);
            }
        }
    }

    /** Blocks on the store. */
    @EventListener
    void on(DomainsChanged change) {
        List<HistoryJson.Marker> markers = markers(change.domain(), clock.instant());
        if (!markers.isEmpty()) {
            history.restore(change.domain(), List.of(), markers);
        }
    }

    private List<HistoryJson.Marker> markers(String domain, Instant now) {
        return policies.markers(Scope.domain(domain), now.minus(History.LENGTH), now.plusSeconds(1), MOST_MARKERS);
    }

    @Override
    public void start() {
        begun = true;
        supervisor.start(TASK, Thread.ofVirtual(), this::restore);
    }

    @Override
    public void stop() {
        begun = false;
    }

    @Override
    public boolean isRunning() {
        return begun;
    }

    /** As early as the archive, before the pools are open. */
    @Override
    public int getPhase() {
        return -2;
    }
}
