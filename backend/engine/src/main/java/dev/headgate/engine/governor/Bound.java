package dev.headgate.engine.governor;

import dev.headgate.engine.gate.Rules;
import dev.headgate.engine.governor.PoolStatus.Limit.By;
import dev.headgate.spi.Limits;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * What keeps a pool's callers waiting, or turns them away: the one answer for every sentence, every alarm and the page. Pure.
 *
 * @param who the policy, {@code allocator} where siblings have the rest of the budget, {@code governor} where no policy bounds
 *     the pool
 * @param reason a sentence, or empty where a policy gives none. It is built on demand, because most refusals are only counted
 * @param answer the answer of the policy that gives the bound, if one does
 */
record Bound(By by, String who, Supplier<String> reason, Optional<Answer> answer) {

    /** A message names at most so many domains that hold connections. */
    private static final int MOST_HOLDERS = 6;

    /** What bounds a pool. */
    static Bound of(Picture picture, Picture.Pool pool) {
        Limits own = pool.verdict().limits();
        Limits common = picture.common().limits();
        int permits = pool.gate().permits();
        Rules.Passage passage = pool.isOpen() ? pool.gate().passage() : pool.passage();
        if (passage == Rules.Passage.PAUSED) {
            return byGovernor(By.PAUSED, () -> "It was paused.");
        }
        if (passage == Rules.Passage.CLOSED) {
            return byGovernor(By.DRAINING, () -> pool.draining() ? "It was draining." : "It was being removed.");
        }
        if (pool.isHeldByRate()) {
            Verdict slower = own.rate() <= common.rate() ? pool.verdict() : picture.common();
            return by(By.RATE, slower.pacing());
        }
        if (pool.links().failure().isPresent() && pool.links().open() < permits) {
            return byGovernor(
                    By.UNREACHABLE,
                    () -> "No connection can be opened: %s cannot be reached.".formatted(picture.database()));
        }
        if (own.ceiling() <= Math.min(permits, picture.capacity())) {
            return by(By.CEILING, pool.verdict().binding());
        }
        int held = picture.held();
        if (held < picture.capacity()) {
            return byGovernor(
                    By.NOTHING, () -> "It may hold more: connections are being opened, or came back too late.");
        }
        int budget = picture.budget();
        if (common.ceiling() < budget) {
            return by(By.DATABASE, picture.common().binding());
        }
        return new Bound(
                By.BUDGET,
                "allocator",
                () -> held == budget
                        ? "All %s of %s are given to %s."
                                .formatted(Sentences.connections(held), picture.database(), holders(picture.pools()))
                        : "%s holds %s, more than its budget of %d: %s."
                                .formatted(
                                        picture.database(),
                                        Sentences.connections(held),
                                        budget,
                                        holders(picture.pools())),
                Optional.empty());
    }

    /**
     * The policy that gives a pool's ceiling, or holds it back. Empty where the budget bounds the pool: a policy that allows
     * more than the budget bounds nothing.
     */
    static Optional<Answer> binding(Picture picture, Picture.Pool pool) {
        if (pool.isOpen() && pool.gate().waitingForPermits() > 0) {
            Bound bound = of(picture, pool);
            if (bound.by == By.DATABASE || bound.by == By.BUDGET || bound.by == By.UNREACHABLE) {
                return bound.answer;
            }
        }
        return pool.verdict().binding().filter(answer -> answer.limits().ceiling() <= picture.budget());
    }

    /** For readers outside of a step, without the picture that the reason is made from. */
    PoolStatus.Limit limit(boolean holdsBack) {
        return new PoolStatus.Limit(by, answer, holdsBack);
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

    /** The domains that hold most: a list of fifty says nothing. */
    private static String holders(List<Picture.Pool> pools) {
        List<Picture.Pool> named = pools;
        String rest = "";
        if (pools.size() > MOST_HOLDERS) {
            int others = pools.size() - MOST_HOLDERS;
            rest = others == 1 ? " and 1 other" : " and %d others".formatted(others);
            named = pools.stream()
                    .sorted(Comparator.comparingInt(Picture.Pool::size).reversed())
                    .limit(MOST_HOLDERS)
                    .toList();
        }
        return named.stream().map(pool -> pool.domain() + " " + pool.size()).collect(Collectors.joining(", ")) + rest;
    }
}
