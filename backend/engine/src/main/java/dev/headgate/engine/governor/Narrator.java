package dev.headgate.engine.governor;

import dev.headgate.engine.governor.Decision.Kind;
import dev.headgate.engine.time.Time;
import dev.headgate.spi.Limits;
import java.util.Collection;
import java.util.Optional;

/** Tells the decision log what a step decided, and what happens around it: commands, and policies that fail. Governor only. */
final class Narrator {

    private static final String ASIDE = "%s: %s %s; what is in force stays as it is.";

    private final DatabaseState database;
    private final Time time;
    private final DecisionLog log;

    Narrator(DatabaseState database, Time time, DecisionLog log) {
        this.database = database;
        this.time = time;
        this.log = log;
    }

    void tell(Collection<DecisionLog.Entry> entries) {
        entries.forEach(log::tell);
    }

    /** Tells the last counts of refusals that have ended. Called once per window. */
    void sweep() {
        log.sweep();
    }

    /** Of a domain. */
    void tell(DomainState state, Kind kind, String policy, String message) {
        log.tell(Sentences.of(picture(), state.look(time.nanoTime()), kind, policy, message));
    }

    /** Of the whole database. */
    void tell(Kind kind, String policy, String message) {
        log.tell(Sentences.of(picture(), kind, policy, message));
    }

    void complain(DomainState state, ActiveSet.Complaint complaint) {
        String told = "%s: %s.".formatted(state.domain(), state.active.told(complaint));
        tell(state, kindOf(complaint), complaint.plugin(), told);
    }

    void complain(ActiveSet.Complaint complaint) {
        String told = "%s: %s.".formatted(database.name, database.active.told(complaint));
        tell(kindOf(complaint), complaint.plugin(), told);
    }

    /** Of a domain's shadow set: nothing in force depends on it. */
    void complainOfShadow(DomainState state, ActiveSet.Complaint complaint) {
        String plugin = complaint.plugin();
        tell(state, kindOf(complaint), plugin, ASIDE.formatted(state.domain(), plugin, complaint.reason()));
    }

    /** Of a set that was only asked what it would answer: nothing in force depends on it. */
    void complainOfPlanned(DomainState state, ActiveSet.Complaint complaint) {
        String plugin = "plan/" + complaint.plugin();
        tell(state, kindOf(complaint), plugin, ASIDE.formatted(state.domain(), plugin, complaint.reason()));
    }

    /** The same for a set of the whole database. */
    void complainOfPlanned(ActiveSet.Complaint complaint) {
        String plugin = "plan/" + complaint.plugin();
        tell(kindOf(complaint), plugin, ASIDE.formatted(database.name, plugin, complaint.reason()));
    }

    private static Kind kindOf(ActiveSet.Complaint complaint) {
        return complaint.quarantined() ? Kind.QUARANTINED : Kind.DEGRADED;
    }

    /** @param difference empty where both sets agree again */
    void shadow(DomainState state, Shadow shadow, String difference) {
        Verdict verdict = shadow.active.verdict();
        Verdict live = state.active.verdict();
        Limits limits = verdict.limits();
        int permits = state.pool.gate().permits();
        Optional<Answer> binding = verdict.binding();
        log.tell(new DecisionLog.Entry.Once(
                Kind.SHADOW,
                binding.map(Answer::plugin).orElse("shadow"),
                difference.isEmpty()
                        ? "%s's shadow set agrees with the live one again.".formatted(state.domain())
                        : "%s would %s under its shadow set. %s"
                                .formatted(
                                        state.domain(),
                                        difference,
                                        binding.map(answer -> answer.limits().reason())
                                                .orElse(""))
                                .strip(),
                new DecisionLog.Subject(
                        state.domain(),
                        live.revision(),
                        state.inputs().quoting(binding),
                        live.bounds(database.budget(), permits),
                        verdict.bounds(database.budget(), permits),
                        verdict.answers(),
                        limits)));
    }

    private Picture picture() {
        return database.look(time.nanoTime());
    }
}
