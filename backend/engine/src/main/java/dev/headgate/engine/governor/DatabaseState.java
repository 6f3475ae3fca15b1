package dev.headgate.engine.governor;

import dev.headgate.engine.gate.SharedRate;
import dev.headgate.engine.governor.Decision.Inputs;
import dev.headgate.engine.meter.HdrLatency;
import dev.headgate.spi.DatabaseView;
import dev.headgate.spi.Limits;
import dev.headgate.spi.PoolView;
import dev.headgate.spi.Window;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * What a governor knows of its database: the state of each domain, the database's own policies and its budget. The governor's
 * own; {@link #find} and the volatile field are for anyone.
 */
final class DatabaseState {

    final String name;
    final CopyOnWriteArrayList<DomainState> domains = new CopyOnWriteArrayList<>();
    private final Map<String, DomainState> byName = new ConcurrentHashMap<>();
    final ActiveSet active = new ActiveSet(PolicySet.empty(), Answer.OF_DATABASE);
    private final BudgetSource budget;
    private List<Window> windows = List.of();
    private @Nullable Window sumOfWindows;
    private @Nullable SharedRate sharedRate;

    /** Connections that the last step divided; -1 before the first one. */
    int formerCapacity = -1;

    /** Of the database itself, after the last window. */
    volatile AlarmBoard alarms = AlarmBoard.CLEAR;

    DatabaseState(String name, BudgetSource budget) {
        this.name = name;
        this.budget = budget;
    }

    void add(DomainState state) {
        domains.add(state);
        byName.put(state.domain(), state);
    }

    void remove(DomainState state) {
        domains.remove(state);
        byName.remove(state.domain(), state);
    }

    Optional<DomainState> find(String domain) {
        return Optional.ofNullable(byName.get(domain));
    }

    /** Connections this node may open. */
    int budget() {
        return budget.connections();
    }

    /** The rate of all domains together, where the database's own policies set one. */
    @Nullable
    SharedRate sharedRate(long now) {
        Limits limits = active.combined();
        if (Double.isInfinite(limits.rate())) {
            sharedRate = null;
        } else if (sharedRate == null || !sharedRate.is(limits.rate(), limits.burst())) {
            sharedRate = new SharedRate(limits.rate(), limits.burst(), now);
        }
        return sharedRate;
    }

    /** For the step: the database and its pools at this instant. */
    Picture look(long nowNanos) {
        return new Picture(
                name,
                budget(),
                budget.discrepancy(),
                budget.unreachable(),
                active.verdict(),
                formerCapacity,
                alarms,
                domains.stream().map(state -> state.look(nowNanos)).toList());
    }

    DatabaseView view() {
        List<DatabaseView.Sibling> siblings = new ArrayList<>();
        int open = 0;
        for (DomainState state : domains) {
            Verdict verdict = state.active.verdict();
            siblings.add(new DatabaseView.Sibling(
                    state.domain(),
                    verdict.limits().tier(),
                    state.size(),
                    state.pool.gate().inUse(),
                    state.pool.gate().waiting(),
                    verdict.guaranteed()));
            open += state.pool.open();
        }
        return new DatabaseView(name, budget(), open, siblings);
    }

    PoolView sum(Instant wall, long now) {
        DatabaseView view = view();
        Inputs shown = Inputs.sum(domains.stream().map(DomainState::inputs).toList(), window().latency());
        return new PoolView(
                name,
                active.revision(),
                wall,
                now,
                shown.size(),
                shown.inUse(),
                shown.idle(),
                shown.waiting(),
                shown.longestWaitNanos(),
                window(),
                active.combined(),
                view);
    }

    /** A window has ended, with these of the domains. */
    void windowEnded(List<Window> ofDomains) {
        windows = List.copyOf(ofDomains);
        sumOfWindows = null;
    }

    /** The last window, of all domains together; summed when it is first asked for. */
    Window window() {
        Window sum = sumOfWindows;
        if (sum == null) {
            sum = sum(windows);
            sumOfWindows = sum;
        }
        return sum;
    }

    /**
     * What was measured of the domains together before, oldest first, without connections; as far back as it is kept of any of
     * them. It is summed when it is asked for: the windows of all domains end together, so those of one age are one window.
     */
    List<Window> recent() {
        List<Iterator<Window>> newestFirst = domains.stream()
                .map(state -> state.windows.recent().descendingIterator())
                .toList();
        List<Window> sums = new ArrayList<>();
        for (List<Window> ofOneAge = next(newestFirst); !ofOneAge.isEmpty(); ofOneAge = next(newestFirst)) {
            sums.add(sum(ofOneAge));
        }
        return sums.reversed();
    }

    private static List<Window> next(List<Iterator<Window>> each) {
        return each.stream().filter(Iterator::hasNext).map(Iterator::next).toList();
    }

    private static Window sum(List<Window> windows) {
        if (windows.isEmpty()) {
            return Windows.NOTHING_YET;
        }
        long arrivals = 0;
        long leases = 0;
        long refused = 0;
        long errors = 0;
        double active = 0;
        double inUse = 0;
        int size = 0;
        int waiting = 0;
        List<Window.ConnectionWindow> connections = new ArrayList<>();
        for (Window window : windows) {
            arrivals += window.arrivals();
            leases += window.leases();
            refused += window.refused();
            errors += window.errors();
            active += window.meanActive();
            inUse += window.meanInUse();
            size += window.size();
            waiting += window.waiting();
            connections.addAll(window.connections());
        }
        Window first = windows.getFirst();
        return new Window(
                first.startNanos(),
                first.lengthNanos(),
                HdrLatency.sum(windows, Window::latency),
                HdrLatency.sum(windows, Window::waits),
                arrivals,
                leases,
                refused,
                errors,
                active,
                inUse,
                size,
                waiting,
                connections);
    }

    /** Shows the last window to the database's own policies. Where there are none, nothing is summed up. */
    List<PolicyCall> observing() {
        return active.set().members().isEmpty() ? List.of() : active.observing(window());
    }

    /** Asks the database's own policies. */
    List<PolicyCall> asking(Instant wall, long now) {
        return active.set().members().isEmpty() ? List.of() : active.asking(sum(wall, now));
    }
}
