package dev.headgate.engine.governor;

import dev.headgate.engine.governor.Decision.Kind;
import dev.headgate.spi.DatabaseView;
import dev.headgate.spi.Window;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The calls of policies in a step: shows them the window that has ended, then asks each with an immutable view of its pool. It
 * hands all calls of one kind to the {@link PolicyRunner} at once, so that a step costs one hand-over and not one per policy. Each
 * {@link ActiveSet} judges which of its calls failed.
 *
 * <p>Shadows come after the live sets in a run of their own, so that a slow shadow costs no live policy its turn. Governor only.
 */
final class PolicyRound {

    private final DatabaseState database;
    private final PolicyRunner runner;
    private final GovernorListener listener;
    private final Narrator narrator;
    private final QuietWindows quiet = new QuietWindows();

    PolicyRound(DatabaseState database, PolicyRunner runner, GovernorListener listener, Narrator narrator) {
        this.database = database;
        this.runner = runner;
        this.listener = listener;
        this.narrator = narrator;
    }

    /** Ends the window of every pool, and shows it to the policies and the listener. */
    void endWindows(long now, Instant wall) {
        List<PolicyCall> all = new ArrayList<>();
        List<List<PolicyCall>> byDomain = new ArrayList<>();
        List<Window> windows = new ArrayList<>();
        Map<DomainState, List<PolicyCall>> shadowed = new LinkedHashMap<>();
        for (DomainState state : database.domains) {
            state.pool.tidy();
            Window window = state.windows.end(now, quiet);
            windows.add(window);
            listener.window(state.pool, wall, window);
            List<PolicyCall> calls = state.active.observing(window);
            byDomain.add(calls);
            all.addAll(calls);
        }
        database.windowEnded(windows);
        List<PolicyCall> ofDatabase = database.observing();
        all.addAll(ofDatabase);
        List<PolicyCall> unseen = new ArrayList<>();
        for (int i = 0; i < windows.size(); i++) {
            DomainState state = database.domains.get(i);
            Shadow shadow = state.shadow;
            if (shadow != null) {
                List<PolicyCall> calls = shadow.active.observing(windows.get(i));
                shadowed.put(state, calls);
                unseen.addAll(calls);
            }
        }
        runner.run(all);
        runner.run(unseen);
        shadowed.forEach((state, calls) -> {
            Shadow shadow = Objects.requireNonNull(state.shadow);
            shadow.active.observed(calls, now).forEach(complaint -> narrator.complainOfShadow(state, complaint));
        });
        for (int i = 0; i < byDomain.size(); i++) {
            DomainState state = database.domains.get(i);
            state.active.observed(byDomain.get(i), now).forEach(complaint -> narrator.complain(state, complaint));
        }
        database.active.observed(ofDatabase, now).forEach(narrator::complain);
    }

    /** Asks every set what it answers now. */
    void ask(long now, Instant wall) {
        DatabaseView view = database.view();
        List<PolicyCall> all = new ArrayList<>();
        List<List<PolicyCall>> byDomain = new ArrayList<>();
        for (DomainState state : database.domains) {
            state.show();
            // not the standing's: a size that is being tried is no floor of the pool
            List<PolicyCall> calls = state.active.asking(state.view(wall, now, state.active.combined(), view));
            byDomain.add(calls);
            all.addAll(calls);
        }
        List<PolicyCall> ofDatabase = database.asking(wall, now);
        all.addAll(ofDatabase);
        runner.run(all);
        for (int i = 0; i < byDomain.size(); i++) {
            DomainState state = database.domains.get(i);
            boolean wasDegraded = state.active.degraded().isPresent(); // the standing's may be the database's
            state.active.heard(byDomain.get(i), now).forEach(complaint -> narrator.complain(state, complaint));
            if (wasDegraded && state.active.degraded().isEmpty()) {
                narrator.tell(state, Kind.RECOVERED, "governor", state.domain() + ": every policy answers again.");
            }
        }
        database.active.heard(ofDatabase, now).forEach(narrator::complain);
        askShadows(now, wall, view);
    }

    private void askShadows(long now, Instant wall, DatabaseView view) {
        Map<DomainState, List<PolicyCall>> byDomain = new LinkedHashMap<>();
        List<PolicyCall> all = new ArrayList<>();
        for (DomainState state : database.domains) {
            Shadow shadow = state.shadow;
            if (shadow != null) {
                List<PolicyCall> calls = shadow.active.asking(state.view(wall, now, shadow.active.combined(), view));
                byDomain.put(state, calls);
                all.addAll(calls);
            }
        }
        if (!byDomain.isEmpty()) {
            runner.run(all);
            byDomain.forEach((state, calls) -> {
                Shadow shadow = Objects.requireNonNull(state.shadow);
                shadow.active.heard(calls, now).forEach(complaint -> narrator.complainOfShadow(state, complaint));
                shadow.compare(state.active.verdict(), database.budget())
                        .ifPresent(difference -> narrator.shadow(state, shadow, difference));
            });
        }
    }
}
