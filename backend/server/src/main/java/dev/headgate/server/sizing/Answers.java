package dev.headgate.server.sizing;

import dev.headgate.engine.governor.Answer;
import dev.headgate.server.policies.PolicySetRequest;
import dev.headgate.server.policies.PolicySetRequest.PolicyUseRequest;
import dev.headgate.spi.Limits;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;

/** What a search answers: the sentence with its evidence, and the policy set. */
final class Answers {

    private static final String MIN_MAX = "min-max";

    private Answers() {}

    /** What a size gave, and what the next smaller one that was tried lacks: by the figures that the search decided by. */
    static String sentence(int size, List<Trial> trials) {
        Seen found = seen(size, trials);
        String smaller = trials.stream()
                .mapToInt(Trial::size)
                .filter(tried -> tried < size)
                .boxed()
                .max(Comparator.naturalOrder())
                .map(next -> told(seen(next, trials)))
                .orElse(size == 1 ? "fewer are not possible" : "fewer were not tried");
        return String.format(
                Locale.ROOT,
                "%d %s %.0f leases a second at a response of %.1f ms; %s.",
                size,
                size == 1 ? "connection gives" : "connections give",
                found.perSecond(),
                found.responseMs(),
                smaller);
    }

    /** What the model says to it; empty where it says nothing. */
    static String expected(int size, OptionalInt expected) {
        return expected.isEmpty()
                ? ""
                : " The line of latency over connections in use, fitted to the trials, expects %s."
                        .formatted(expected.getAsInt() == size ? "the same" : expected.getAsInt());
    }

    private static String told(Seen smaller) {
        return smaller.counts()
                ? String.format(
                        Locale.ROOT,
                        "%d gave %.0f at %.1f ms",
                        smaller.size(),
                        smaller.perSecond(),
                        smaller.responseMs())
                : "%d was ruled out, because %s".formatted(smaller.size(), smaller.ruledOut());
    }

    private static Seen seen(int size, List<Trial> trials) {
        return Seen.of(trials.stream().filter(trial -> trial.size() == size).toList());
    }

    /**
     * A set with {@code min-max} in place of the policies that only bound the pool's size. One that also says what the domain is owed, or
     * how fast, stays.
     *
     * @param answers of the policies of the set in force, not of a trial
     */
    static PolicySetRequest policySet(PolicySetRequest inForce, List<Answer> answers, int size) {
        Set<String> replaced =
                answers.stream().filter(Answers::onlyBounds).map(Answer::plugin).collect(Collectors.toSet());
        replaced.add(MIN_MAX);
        int floor = answers.stream()
                .mapToInt(answer -> answer.limits().floor())
                .max()
                .orElse(0);
        List<PolicyUseRequest> uses = new ArrayList<>();
        uses.add(new PolicyUseRequest(MIN_MAX, Map.of("min", Math.min(size, floor), "max", size)));
        inForce.policies().stream()
                .filter(use -> !replaced.contains(use.plugin()))
                .forEach(uses::add);
        return new PolicySetRequest(uses, inForce.whenExhausted(), "Found by trying sizes on the live load");
    }

    private static boolean onlyBounds(Answer answer) {
        Limits limits = answer.limits();
        boolean bounds = limits.ceiling() != Limits.UNSPECIFIED || limits.floor() > 0;
        return bounds
                && limits.guaranteed() == Limits.UNSPECIFIED
                && limits.weight() == Double.POSITIVE_INFINITY
                && limits.rate() == Double.POSITIVE_INFINITY;
    }

    /** The policies that the answer leaves out, for the sentence; empty if there are none. */
    static String replaced(List<Answer> answers) {
        List<String> names = answers.stream()
                .filter(Answers::onlyBounds)
                .map(Answer::plugin)
                .filter(plugin -> !plugin.equals(MIN_MAX))
                .distinct()
                .toList();
        return names.isEmpty()
                ? ""
                : " The set has min-max in place of %s, which only %s the size."
                        .formatted(String.join(" and ", names), names.size() == 1 ? "bounds" : "bound");
    }

    /** The policies that stay and allow less than the size, for the sentence; empty if there are none. */
    static String held(List<Answer> answers, int size) {
        return answers.stream()
                .filter(answer -> !onlyBounds(answer) && answer.limits().ceiling() < size)
                .map(answer -> " " + answer.plugin() + " stays in the set, and allows "
                        + answer.limits().ceiling() + " at most.")
                .collect(Collectors.joining());
    }
}
