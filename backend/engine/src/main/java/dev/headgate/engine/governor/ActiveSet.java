package dev.headgate.engine.governor;

import dev.headgate.engine.time.Time;
import dev.headgate.spi.Limits;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PoolView;
import dev.headgate.spi.Window;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The policies in force for one pool or one database, and their last answers. If a policy throws or answers null, its last
 * answer stands in; before it has answered, the limits of the former set do, if there was one. A policy that blocks or burns the
 * processor is never called again. Governor only, but for {@link #revision()} and {@link #answers()}, which any thread may read.
 */
final class ActiveSet {

    /** What is new about a policy's health. {@link #told} makes a sentence of it. */
    record Complaint(Policy policy, String plugin, String reason, boolean quarantined) {}

    /** Between two complaints about a policy's faults. */
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final String GREEDY =
            "used more than %d %% of a processor core for too long and is not asked any more"
                    .formatted(Math.round(100 * Appetite.SHARE));

    private final String prefix;
    private final Set<Policy> quarantined = Collections.newSetFromMap(new IdentityHashMap<>());
    private final IdentityHashMap<Policy, Said> lastGood = new IdentityHashMap<>();
    private final IdentityHashMap<Policy, String> answerFaults = new IdentityHashMap<>();
    private final IdentityHashMap<Policy, String> observeFaults = new IdentityHashMap<>();
    private final IdentityHashMap<Policy, Told> told = new IdentityHashMap<>();
    private final IdentityHashMap<Policy, Appetite> appetites = new IdentityHashMap<>();
    private volatile PolicySet set;
    private volatile List<Answer> answers = List.of();
    private Limits combined = Limits.unbounded();

    /** Of the present answers, for while no policy fails; null until somebody asks. */
    private @Nullable Verdict verdict;

    /** Whether the answers must be combined, though no policy has answered anything new: the set is new. */
    private boolean uncombined = true;

    /** The limits of the former set; null if there was none that has answered. */
    private @Nullable Limits former;

    /** @param prefix put before the plugins' names in answers: "" for a domain's own, "database/" for a database's */
    ActiveSet(PolicySet set, String prefix) {
        this.set = set;
        this.prefix = prefix;
    }

    PolicySet set() {
        return set;
    }

    /** As in answers and complaints. */
    private String name(PolicySet.Member member) {
        return prefix.isEmpty() ? member.plugin() : prefix + member.plugin();
    }

    long revision() {
        return set.revision();
    }

    List<Answer> answers() {
        return answers;
    }

    /** The combined answers, the set's own word on exhaustion included. */
    Limits combined() {
        return combined;
    }

    /** The same object while nothing changes: several times in each step of each domain. */
    Verdict verdict() {
        Optional<String> degraded = degraded();
        if (degraded.isPresent()) {
            return new Verdict(revision(), combined, answers, degraded);
        }
        Verdict known = verdict;
        if (known == null) {
            known = new Verdict(revision(), combined, answers, degraded);
            verdict = known;
        }
        return known;
    }

    /** The calls that close the set's policies, except those in quarantine. */
    List<PolicyCall> closing() {
        return calling(policy -> {
            policy.close();
            return null;
        });
    }

    /** Puts another set in force. Take the former set's {@link #closing} calls first. */
    void replace(PolicySet next) {
        set = next;
        former = lastGood.isEmpty() ? former : combined;
        lastGood.clear();
        quarantined.clear();
        appetites.clear();
        answerFaults.clear();
        observeFaults.clear();
        told.clear();
        verdict = null;
        uncombined = true;
    }

    List<PolicyCall> observing(Window window) {
        return calling(showing(window));
    }

    private static Function<Policy, @Nullable Object> showing(Window window) {
        return policy -> {
            policy.observe(window);
            return null;
        };
    }

    /** One call of each policy, except those in quarantine. */
    private List<PolicyCall> calling(Function<Policy, @Nullable Object> body) {
        List<PolicyCall> calls = new ArrayList<>(set.members().size());
        for (PolicySet.Member member : set.members()) {
            if (!quarantined.contains(member.policy())) {
                calls.add(new PolicyCall(member, body));
            }
        }
        return calls;
    }

    /**
     * Shows a new set what was measured before, one policy after the other. A policy that misses its deadline is quarantined and
     * sees no further window. All windows of the past together get one deadline; a policy that is not done then learns from the
     * windows to come. So a policy delays the governor by less than two deadlines, however many windows there are.
     *
     * @param recorded oldest first
     * @return what is new about the policies' health
     */
    List<Complaint> learn(Collection<Window> recorded, PolicyRunner runner, Time time) {
        List<Complaint> complaints = new ArrayList<>();
        for (PolicySet.Member member : set.members()) {
            long began = time.nanoTime();
            for (Window window : recorded) {
                if (quarantined.contains(member.policy()) || time.nanoTime() - began >= GuardedRunner.DEADLINE_NANOS) {
                    break;
                }
                List<PolicyCall> calls = List.of(new PolicyCall(member, showing(window)));
                runner.run(calls);
                complaints.addAll(observed(calls, time.nanoTime()));
            }
        }
        return complaints;
    }

    List<PolicyCall> asking(PoolView view) {
        return calling(policy -> said(policy, view));
    }

    /** Asks for limits and figures in one call, because the figures belong to the limits. */
    private static @Nullable Said said(Policy policy, PoolView view) {
        Limits limits = policy.limits(view);
        OptionalDouble predicted = policy.predictedNanos();
        OptionalDouble judged = policy.judgedNanos();
        return limits == null || predicted == null || judged == null ? null : new Said(limits, predicted, judged);
    }

    private record Said(Limits limits, OptionalDouble predictedNanos, OptionalDouble judgedNanos) {}

    /** Notes which observations failed. */
    List<Complaint> observed(List<PolicyCall> calls, long nowNanos) {
        List<Complaint> complaints = new ArrayList<>();
        for (PolicyCall call : calls) {
            if (isGreedy(call, nowNanos)) {
                quarantine(call, observeFaults, GREEDY).ifPresent(complaints::add);
            } else if (call.failure() == null && !call.wasAbandoned()) {
                observeFaults.remove(call.member().policy());
            } else {
                noteFault(call, observeFaults, nowNanos).ifPresent(complaints::add);
            }
        }
        return complaints;
    }

    /** Takes the answers in, and combines them unless all are as before: those of an idle domain hardly ever change. */
    List<Complaint> heard(List<PolicyCall> calls, long nowNanos) {
        List<Complaint> complaints = new ArrayList<>();
        for (PolicyCall call : calls) {
            if (isGreedy(call, nowNanos)) {
                quarantine(call, answerFaults, GREEDY).ifPresent(complaints::add);
            } else if (call.failure() == null && !call.wasAbandoned() && call.result() instanceof Said said) {
                uncombined |= !said.equals(lastGood.put(call.member().policy(), said));
                answerFaults.remove(call.member().policy());
            } else {
                noteFault(call, answerFaults, nowNanos).ifPresent(complaints::add);
            }
        }
        if (uncombined) {
            combine();
        }
        return complaints;
    }

    private void combine() {
        List<Answer> all = new ArrayList<>();
        Limits sum = Limits.unbounded().withWhenExhausted(set.whenExhausted());
        for (PolicySet.Member member : set.members()) {
            Said said = lastGood.getOrDefault(member.policy(), unheard(member));
            all.add(new Answer(name(member), said.limits(), said.predictedNanos(), said.judgedNanos()));
            sum = sum.and(said.limits());
        }
        answers = List.copyOf(all);
        combined = sum;
        verdict = null;
        uncombined = false;
    }

    /** What is in force for a policy that has not answered. */
    private Said unheard(PolicySet.Member member) {
        return new Said(
                former == null
                        ? Limits.unbounded()
                        : former.because(name(member) + " has not answered yet: the limits of the former set stand."),
                OptionalDouble.empty(),
                OptionalDouble.empty());
    }

    /** The last complaint about a policy's fault. */
    private record Told(String reason, long atNanos) {}

    /**
     * Complains of a fault that is new, or has another reason, but not again and again: a policy may fail at every other call, or with a
     * number in its text that changes. What fails now is in {@link #degraded} in any case.
     */
    private Optional<Complaint> noteFault(PolicyCall call, IdentityHashMap<Policy, String> faults, long nowNanos) {
        Policy policy = call.member().policy();
        String reason;
        if (call.wasAbandoned()) {
            return quarantine(
                    call,
                    faults,
                    "did not answer within " + GuardedRunner.DEADLINE_NANOS / 1_000_000
                            + " ms and is not asked any more");
        } else if (call.failure() != null) {
            reason = "failed with " + call.failure();
        } else {
            reason = "gave no answer";
        }
        String known = faults.put(policy, reason);
        Told last = told.get(policy);
        if (last != null
                && (nowNanos - last.atNanos() < QUIET_NANOS || (known != null && reason.equals(last.reason())))) {
            return Optional.empty();
        }
        told.put(policy, new Told(reason, nowNanos));
        return Optional.of(new Complaint(policy, name(call.member()), reason, false));
    }

    /** Never calls the policy again. */
    private Optional<Complaint> quarantine(PolicyCall call, IdentityHashMap<Policy, String> faults, String reason) {
        Policy policy = call.member().policy();
        quarantined.add(policy);
        faults.put(policy, reason);
        return Optional.of(new Complaint(policy, name(call.member()), reason, true));
    }

    private boolean isGreedy(PolicyCall call, long nowNanos) {
        return appetites
                .computeIfAbsent(call.member().policy(), policy -> new Appetite())
                .exceededBy(call.processorNanos(), nowNanos);
    }

    /** Who failed how, and what is in force instead; without a full stop. */
    String told(Complaint complaint) {
        return told(complaint.plugin(), complaint.reason(), complaint.policy());
    }

    private String told(String plugin, String reason, Policy policy) {
        String instead = lastGood.containsKey(policy)
                ? "its last answer stands"
                : former == null ? "it sets no limit" : "the former set's limits stand";
        return plugin + " " + reason + "; " + instead;
    }

    /** Which policy fails, and what is in force instead, if one does. */
    Optional<String> degraded() {
        if (answerFaults.isEmpty() && observeFaults.isEmpty()) {
            return Optional.empty();
        }
        for (PolicySet.Member member : set.members()) {
            String fault = answerFaults.getOrDefault(member.policy(), observeFaults.get(member.policy()));
            if (fault != null) {
                return Optional.of(told(name(member), fault, member.policy()));
            }
        }
        return Optional.empty();
    }
}
