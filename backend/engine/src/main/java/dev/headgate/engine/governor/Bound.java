package dev.headgate.engine.governor;

import dev.headgate.engine.gate.Rules;
import dev.headgate.spi.Limits;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * What keeps a pool's callers waiting, or turns them away: the one answer for every sentence, every alarm and the page.
 *
 * @param who the policy, {@code allocator} where its siblings have the rest of the budget, {@code governor} where no policy
 *     bounds it
 * @param reason a sentence, or empty where a policy has none to give; put together when it is asked for, since most are counted
 *     and never told
 * @param answer that of the policy that gives the bound, where one does
 */
record Bound(By by, String who, Supplier<String> reason, Optional<Answer> answer) {

    /** What is used up. */
    enum By {
        /** It is paused or drains. */
        PASSAGE,
        RATE,
        /** No connection can be opened. */
        UNREACHABLE,
        /** The pool has all that its own policies allow. */
        CEILING,
        /** The domains together have all that the database's policies allow. */
        DATABASE,
        BUDGET,
        NOTHING
    }

    /** So many domains are named at most where a message lists who holds connections. */
    private static final int MOST_HOLDERS = 6;

    /** What bounds a pool now. */
    static Bound of(DatabaseState database, DomainState state) {
        Limits own = state.active.combined();
        Limits common = database.active.combined();
        int permits = state.pool.gate().permits();
        if (state.passage != Rules.Passage.OPEN || state.pool.gate().rules().passage() != Rules.Passage.OPEN) {
            return byGovernor(By.PASSAGE, () -> "It was paused or draining.");
        }
        if (state.isHeldByRate()) {
            ActiveSet slower = own.rate() <= common.rate() ? state.active : database.active;
            return by(By.RATE, slower.pacing());
        }
        if (state.pool.failure().isPresent() && state.pool.open() < permits) {
            return byGovernor(
                    By.UNREACHABLE,
                    () -> "No connection can be opened: %s cannot be reached.".formatted(database.name));
        }
        if (own.ceiling() <= permits) {
            return by(By.CEILING, state.active.binding());
        }
        int held = database.held();
        if (held < database.capacity()) {
            return byGovernor(
                    By.NOTHING, () -> "It may hold more: connections are being opened, or came back too late.");
        }
        int budget = database.budget();
        if (common.ceiling() < budget) {
            return by(By.DATABASE, database.active.binding());
        }
        return new Bound(
                By.BUDGET,
                "allocator",
                () -> held == budget
                        ? "All %s of %s are given to %s."
                                .formatted(Narrator.connections(held), database.name, holders(database))
                        : "%s holds %s, more than its budget of %d: %s."
                                .formatted(database.name, Narrator.connections(held), budget, holders(database)),
                Optional.empty());
    }

    /**
     * The policy that gives a pool's ceiling, or holds it back. Nobody where the budget does: a policy that allows more than
     * there is bounds nothing.
     */
    static Optional<Answer> binding(DatabaseState database, DomainState state) {
        if (state.passage == Rules.Passage.OPEN && state.pool.gate().waitingForPermits() > 0) {
            Bound bound = of(database, state);
            if (bound.by == By.DATABASE || bound.by == By.BUDGET || bound.by == By.UNREACHABLE) {
                return bound.answer;
            }
        }
        return state.active.binding().filter(answer -> answer.limits().ceiling() <= database.budget());
    }

    private static Bound by(By by, Optional<Answer> answer) {
        return new Bound(
                by,
                answer.map(Answer::plugin).orElse("governor"),
                () -> answer.map(each -> each.limits().reason()).orElse(""),
                answer);
    }

    private static Bound byGovernor(By by, Supplier<String> reason) {
        return new Bound(by, "governor", reason, Optional.empty());
    }

    private record Holder(String domain, int size) {}

    /** Who holds most, for whoever reads it: a list of fifty says nothing. */
    private static String holders(DatabaseState database) {
        List<Holder> holders = database.domains.stream()
                .map(state ->
                        new Holder(state.domain(), state.size())) // read once: sizes change while they are sorted by
                .toList();
        String rest = "";
        if (holders.size() > MOST_HOLDERS) {
            rest = " and %d others".formatted(holders.size() - MOST_HOLDERS);
            holders = holders.stream()
                    .sorted(Comparator.comparingInt(Holder::size).reversed())
                    .limit(MOST_HOLDERS)
                    .toList();
        }
        return holders.stream()
                        .map(holder -> holder.domain() + " " + holder.size())
                        .collect(Collectors.joining(", "))
                + rest;
    }
}
