package dev.headgate.lab.reasons;

import static dev.headgate.lab.reasons.Sayings.figure;
import static dev.headgate.lab.reasons.Sayings.whole;

import dev.headgate.engine.governor.Answer;
import dev.headgate.engine.governor.Decision;
import dev.headgate.engine.governor.Governor;
import dev.headgate.engine.governor.PoolStatus;
import dev.headgate.engine.meter.HdrLatency;
import dev.headgate.engine.time.VirtualTime;
import dev.headgate.simulator.Run;
import dev.headgate.simulator.Simulator;
import dev.headgate.spi.Alarm;
import dev.headgate.spi.Latency;
import dev.headgate.spi.Limits;
import dev.headgate.spi.PoolView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads every decision, alarm and status of a world, and tells each sentence that its own figures or the world contradict. */
final class Oracle {

    /** Takes what contradicts itself. */
    interface Listener {

        /** @param rule what was broken: the same words each time */
        void contradiction(String rule, String where);

        /** Something was read. */
        void read();
    }

    /** What a policy of the database answered last, and what it was shown of the sum before. */
    private record Spoken(String plugin, Limits limits, int size, int waiting) {}

    private static final String CONNECTIONS = "([0-9]+) connections?";
    private static final Pattern HELD = pattern("(\\S+) stays at (\\d+) with (\\d+) waiting\\.( .*)?");
    private static final Pattern TURN =
            pattern("(\\S+) has (\\d+) waiting for their turn, not for a connection\\.( .*)?");
    private static final Pattern REFUSED =
            pattern("(\\S+) refused requests at @C \\((\\w+), (\\d+) waiting\\)\\.( .*)?");
    private static final Pattern LIMITS =
            pattern("(\\S+) may hold (\\d+) to (\\d+) connections, was (\\d+) to (\\d+)\\.( .*)?");
    private static final Pattern CAPACITY = pattern("(\\S+) may give (\\d+) connections?, was (\\d+)\\.( .*)?");
    private static final Pattern LENT = pattern("(\\S+) holds @C that others are owed and do not need now\\.");
    private static final Pattern TO_FLOOR = pattern("(\\S+) grew (\\d+) → (\\d+) to its floor of (\\d+)\\.");
    private static final Pattern ON_DEMAND =
            pattern("(\\S+) grew (\\d+) → (\\d+) on demand: (\\d+) in use, (\\d+) waiting, ceiling (\\d+)\\.");
    private static final Pattern BACK = pattern("(\\S+) grew (\\d+) → (\\d+): .*");
    private static final Pattern DRAINS = pattern("(\\S+) closes its @C: it is draining\\.");
    private static final Pattern SHRANK = pattern("(\\S+) shrank (\\d+) → (\\d+)\\.( .*)?");
    private static final Pattern IDLE =
            pattern("(\\S+) closed @C that nobody needed for ([0-9.]+) s: (\\d+) → (\\d+), floor (\\d+)\\.");
    private static final Pattern BOTH = pattern(
            "(\\S+) shrank (\\d+) → (\\d+): it may hold (\\d+), and nobody needed more than (\\d+) for ([0-9.]+) s\\.");
    private static final Pattern GAVE_BACK = pattern(
            "(\\S+) gave @C back(?: to (\\S+), which has (\\d+) waiting(?: and is owed (\\d+))?|: (\\S+) may give (\\d+)\\. (.*)|: (\\S+) may give (\\d+))?\\.");
    private static final Pattern ALL_GIVEN = pattern("All (\\d+) connections? of (\\S+) (?:are|is) given to (.*)\\.");
    private static final Pattern HOLDER = Pattern.compile("(\\S+) (\\d+)");
    private static final Pattern FLUSHED =
            pattern("(\\S+) replaces its @C: free ones now, leased ones when they come back\\.");
    private static final Pattern DRAINED =
            pattern("(\\S+) refuses requests and closes its connections as they come back; (\\d+) in use\\.");
    private static final Pattern ENDED = pattern(
            "(\\S+?):? (?:recovered: )?(\\S+) ended (?:after [1-9]\\d* s|within a second)(?:; it came (\\d+) times)?\\.");
    private static final Pattern AT_CEILING = pattern("(\\S+) has been held at its ceiling of (\\d+) by (\\S+)\\.");
    private static final Pattern AT_CAP = pattern("(\\S+) has been held at its latency cap: it may hold @C\\.");
    private static final Pattern AT_SHARE = pattern("(\\S+) has been held at @C by (\\S+) of (\\S+)\\.");
    private static final Pattern AT_COMMON_CAP =
            pattern("(\\S+) has been held at the latency cap of (\\S+): it holds @C\\.");
    private static final Pattern TURNED_AWAY =
            pattern("(\\S+) has been turning callers away(?: at \\S+ .*| while paused)?\\.");
    private static final Pattern AT_RATE = pattern("(\\S+) has been held at its rate limit: (\\S+) sets it\\.");
    private static final Pattern AT_COMMON_RATE =
            pattern("(\\S+) has been held at the rate limit of \\S+: (\\S+) sets it\\.");
    private static final Pattern NONE_LEFT = pattern("(\\S+) has been held at the budget of (\\S+): it holds @C\\.");
    private static final Pattern NO_ANSWER =
            pattern("(\\S+) has been without an answer from (\\S+): none came on any of the @C in use\\.");
    private static final Pattern SHADOW = pattern("(\\S+) would (.*) under its shadow set\\.( .*)?");
    private static final String FAILURE =
            "(\\S+) (failed with .*|gave no answer|did not answer within 50 ms and is not asked any more); (its last answer stands|the former set's limits stand|it sets no limit|what is in force stays as it is)\\.";
    private static final Pattern FAILS = pattern("(\\S+): " + FAILURE);
    private static final Pattern DEGRADED = pattern("(\\S+) has been under a policy that fails: " + FAILURE);
    private static final Pattern RECOVERED = pattern("(\\S+): every policy answers again\\.");
    private static final Pattern WRONG_PLURAL =
            Pattern.compile("(?<!to )\\b1 (connections|requests|leases|others|do)\\b");
    private static final Pattern PRESENT = Pattern.compile("[Tt]he (?:mean|p95|p99) (?:is|was|stayed at) ([0-9.]+) ms");
    private static final Pattern HOLD_INSTEAD = Pattern.compile("hold (\\d+) to (\\d+) instead of (\\d+) to (\\d+)");

    /** What is gone for no longer still holds; then a window must end before anybody knows. */
    private static final long LULL_NANOS = 1_000_000_000L + Governor.WINDOW_NANOS;

    /** The name under which a size that is tried stands among the policies. */
    private static final String TRIED = "find-my-size";

    private final IntSupplier budget;
    private final Listener told;
    private final Set<String> domains = new LinkedHashSet<>();
    private final Map<Object, Spoken> ofDatabase = new LinkedHashMap<>();

    /** The last answer of every policy, and those before that were the same: the governor keeps one of them. */
    private final Map<Object, List<Limits>> given = new IdentityHashMap<>();

    /** All of these; what else is in force stands in for a policy that has not answered. */
    private final Set<Limits> own = Collections.newSetFromMap(new IdentityHashMap<>());

    /** Those of policies that have failed since. */
    private final Set<Limits> old = Collections.newSetFromMap(new IdentityHashMap<>());

    private final Map<String, Measured> measured = new HashMap<>();
    private final Map<String, Run.Row> ended = new LinkedHashMap<>();
    private final Map<String, Long> turnedAway = new HashMap<>();

    /** By domain, in nanoseconds since the start. */
    private final Map<String, Long> lastTurnedAway = new HashMap<>();

    /** The same: when what an alarm says was last so. Key: the domain and the alarm's code. */
    private final Map<String, Long> lastSo = new HashMap<>();

    /** What can be judged only once the step's outcome is published. */
    private final List<Runnable> afterStep = new ArrayList<>();

    private @Nullable Simulator simulator;

    /** @param budget connections of the database now */
    Oracle(IntSupplier budget, Listener told) {
        this.budget = budget;
        this.told = told;
    }

    void watch(Simulator world) {
        simulator = world;
    }

    /** A domain is added. */
    void added(String domain) {
        domains.add(domain);
    }

    /** What policies answered that were only asked, in the step that has just ended. */
    void planned(String domain, List<Answer> answers) {
        told.read();
        Reading reading = new Reading("plan of " + domain + " " + answers);
        int waiting = pools().stream()
                .filter(pool -> domain.isEmpty() || pool.domain().equals(domain))
                .mapToInt(PoolStatus::waiting)
                .sum();
        answers.forEach(answer -> reading.answer(domain, answer, 0, waiting));
    }

    /** Another set is put in force for the database: those of before are not asked any more. */
    void swapped() {
        ofDatabase.clear();
    }

    /** A policy has answered. */
    void gave(Object policy, Limits limits) {
        List<Limits> alike = given.computeIfAbsent(policy, any -> new ArrayList<>());
        if (!old.isEmpty()) {
            alike.forEach(old::remove);
        }
        if (!alike.isEmpty() && !alike.getFirst().equals(limits)) {
            alike.forEach(own::remove);
            alike.clear();
        }
        alike.add(limits);
        own.add(limits);
        old.remove(limits);
    }

    /** A policy has failed: what it said last is of another moment. */
    void failed(Object policy) {
        old.addAll(given.getOrDefault(policy, List.of()));
    }

    /** Whether a policy has said it of the present. */
    private boolean isFresh(Limits limits) {
        return own.contains(limits) && !old.contains(limits);
    }

    /** A policy of the database has answered. */
    void answered(Object policy, String plugin, Limits limits, PoolView sum) {
        ofDatabase.put(policy, new Spoken("database/" + plugin, limits, sum.size(), sum.waiting()));
    }

    /** A policy of the database is not asked any more. */
    void closed(Object policy) {
        ofDatabase.remove(policy);
    }

    void window(String domain, Run.Row row) {
        measured(domain).add(row.endNanos(), row.window().latency());
        ended.put(domain, row);
    }

    /** The windows of a step have all been told. */
    void stepped() {
        if (!ended.isEmpty()) {
            Latency sum = HdrLatency.sum(
                    ended.values().stream().map(row -> row.window().latency()).toList());
            measured("").add(now(), sum);
            ended.keySet().forEach(domain -> status(domain, pool(domain)));
            ofDatabase.values().forEach(this::ofTheSum);
        }
        afterStep.forEach(Runnable::run);
        afterStep.clear();
        ended.clear();
    }

    /** What a policy of the database says, read like a status. */
    private void ofTheSum(Spoken spoken) {
        told.read();
        new Reading("answer of " + spoken).policy("", spoken.limits, spoken.size, spoken.waiting);
    }

    private Measured measured(String domain) {
        return measured.computeIfAbsent(domain, any -> new Measured());
    }

    private long now() {
        return Objects.requireNonNull(simulator).sinceStartNanos();
    }

    /** One that is there: it is told of, or its window has ended. */
    private PoolStatus pool(String domain) {
        return Objects.requireNonNull(simulator).governor().status(domain).orElseThrow();
    }

    /** Judges a pool once the step's outcome is published, if it is there then. */
    private void afterStep(String domain, Consumer<PoolStatus> check) {
        afterStep.add(() ->
                Objects.requireNonNull(simulator).governor().status(domain).ifPresent(check));
    }

    private List<PoolStatus> pools() {
        return domains.stream()
                .flatMap(domain -> Objects.requireNonNull(simulator).governor().status(domain).stream())
                .toList();
    }

    /** Connections that the pools hold: permits, and debts not yet paid. */
    private int held() {
        return pools().stream().mapToInt(PoolStatus::size).sum();
    }

    private int ceilingOfDatabase() {
        return ofDatabase.values().stream()
                .mapToInt(spoken -> spoken.limits.ceiling())
                .min()
                .orElse(Limits.UNSPECIFIED);
    }

    private double rateOfDatabase() {
        return ofDatabase.values().stream()
                .mapToDouble(spoken -> spoken.limits.rate())
                .min()
                .orElse(Double.POSITIVE_INFINITY);
    }

    private int capacity() {
        return Math.min(budget.getAsInt(), ceilingOfDatabase());
    }

    // ---- a status

    private void status(String domain, PoolStatus status) {
        told.read();
        Reading reading = new Reading("status of " + domain + " " + status);
        for (Answer answer : status.answers()) {
            reading.answer(domain, answer, 0, status.waiting());
        }
        boolean heldBack = status.state() == PoolStatus.State.OPEN
                && status.waiting() > 0
                && status.size() < Math.min(status.limits().ceiling(), status.budget())
                && status.inUse() >= status.target()
                && held() >= capacity();
        status.binding().ifPresent(binding -> {
            boolean common = binding.plugin().startsWith("database/");
            reading.holds(
                    common || binding.limits().ceiling() == status.limits().ceiling(),
                    "binding: not the policy that gives the least");
            reading.holds(
                    common || binding.limits().ceiling() <= status.budget(),
                    "binding: a policy that allows more than the budget");
            reading.holds(
                    common || !heldBack, "binding: a domain's policy where the budget or the database's policies bind");
            reading.holds(
                    !common
                            || (ceilingOfDatabase() < budget.getAsInt()
                                    && binding.limits().ceiling() == ceilingOfDatabase()),
                    "binding: a database's policy that does not bind");
        });
        if (wereTurnedAway(status)) {
            lastTurnedAway.put(domain, now());
        }
        for (PoolStatus.RaisedAlarm alarm : status.alarms()) {
            if (alarm.clearing().isEmpty()) {
                alarmOfPolicy(
                        domain,
                        status.answers(),
                        0,
                        status.waiting(),
                        alarm.code(),
                        alarm.words().detail(),
                        reading);
            }
            standing(status, alarm, reading);
        }
        turnedAway.put(domain, turnedAway(status));
    }

    /** Since the status before: a step whose policies say reject turns away those who waited, and their patience may have ended. */
    private boolean wereTurnedAway(PoolStatus status) {
        return turnedAway(status) > turnedAway.getOrDefault(status.domain(), 0L);
    }

    private static long turnedAway(PoolStatus status) {
        return status.totals().refused() + status.totals().timedOut();
    }

    /** An alarm that stands is true now, or says that it was. */
    private void standing(PoolStatus status, PoolStatus.RaisedAlarm alarm, Reading reading) {
        Instant now = VirtualTime.EPOCH.plusNanos(now());
        String code = alarm.code();
        reading.holds(!alarm.since().isAfter(now), "alarm: of the future");
        reading.holds(alarm.times() >= 1, "alarm: never came");
        alarm.clearing().ifPresent(last -> {
            reading.holds(!last.isBefore(alarm.since()) && last.isBefore(now), "alarm: was last seen at another time");
            reading.holds(last.plusSeconds(30).isAfter(now), "alarm: stands too long after its condition");
            reading.holds(
                    !code.equals("paused") && !code.equals("draining"), "alarm: stands though somebody has ended it");
        });
        if (alarm.clearing().isEmpty()) {
            switch (code) {
                case "paused" ->
                    reading.holds(status.state() == PoolStatus.State.PAUSED, "alarm: says paused, and it is not");
                case "draining" ->
                    reading.holds(status.state() == PoolStatus.State.DRAINING, "alarm: says draining, and it is not");
                case "degraded" ->
                    reading.holds(
                            isSo(status, code, status.degraded().isPresent()), "alarm: says degraded, and it is not");
                case "refusing" ->
                    reading.holds(
                            now() - lastTurnedAway.getOrDefault(status.domain(), 0L)
                                    <= LULL_NANOS + Governor.WINDOW_NANOS,
                            "alarm: says that callers are turned away, and none was of late");
                case "at-ceiling", "at-rate" ->
                    reading.holds(
                            isSo(status, code, status.waiting() > 0 || wereTurnedAway(status)),
                            "alarm: says held back now, and nobody waits");
                default -> {}
            }
        }
    }

    /** Whether what an alarm says is so, or was within the last lull. */
    private boolean isSo(PoolStatus status, String code, boolean now) {
        String key = status.domain() + " " + code;
        if (now) {
            lastSo.put(key, now());
        }
        return now() - lastSo.getOrDefault(key, 0L) <= LULL_NANOS;
    }

    /** What a policy says in its alarm now is a sentence like its reason. */
    private void alarmOfPolicy(
            String domain, List<Answer> answers, int size, int waiting, String code, String message, Reading reading) {
        Alarm said = new Alarm(code, message);
        for (Answer answer : answers) {
            if (isFresh(answer.limits()) && answer.limits().alarms().contains(said)) {
                reading.policy(domain, answer.limits().because(message), size, waiting);
            }
        }
        for (Spoken spoken : ofDatabase.values()) {
            if (spoken.limits.alarms().contains(said)) {
                reading.policy("", spoken.limits.because(message), spoken.size, spoken.waiting);
            }
        }
    }

    // ---- a decision

    void decided(Decision decision) {
        if (decision.lastTime().isBefore(VirtualTime.EPOCH.plusNanos(now()))) {
            return; // its count is told again; it was read when it was taken
        }
        told.read();
        Reading reading = new Reading(decision.toString());
        reading.holds(!WRONG_PLURAL.matcher(decision.message()).find(), "a wrong plural");
        judged(decision, reading);
        for (Answer answer : decision.answers()) {
            reading.answer(
                    decision.domain(),
                    answer,
                    decision.inputs().size(),
                    decision.inputs().waiting());
        }
        if (decision.domain().isEmpty()) {
            ofTheDatabase(decision, reading);
        } else {
            reading.holds(
                    decision.inputs().inUse()
                            <= Math.max(
                                    decision.inputs().size(), decision.before().target()),
                    "inputs: more in use than there are");
            ofADomain(decision, reading);
        }
    }

    /** A sentence that tells a latency of the present tells the one that was judged, which the inputs carry. */
    private static void judged(Decision decision, Reading reading) {
        Matcher m = PRESENT.matcher(decision.message());
        if (m.find()) {
            double nearest = 0.501
                    * Math.pow(
                            10, -m.group(1).replaceAll("\\d+\\.?(\\d*)", "$1").length());
            OptionalDouble judged = decision.inputs().judgedNanos();
            reading.holds(
                    judged.isPresent() && Math.abs(judged.getAsDouble() / 1e6 - figure(m, 1)) <= nearest,
                    "a latency that is not the judged one of the inputs");
        }
    }

    private void ofTheDatabase(Decision decision, Reading reading) {
        switch (decision.kind()) {
            case LIMITS ->
                reading.matches(CAPACITY, decision.message(), m -> {
                    reading.holds(whole(m, 2) == capacity(), "capacity: another number than the truth");
                    reading.holds(
                            whole(m, 2) == decision.after().ceiling(), "capacity: another number than the bounds");
                    reading.holds(
                            whole(m, 3) == decision.before().ceiling(), "capacity: was another number than the bounds");
                    reading.holds(
                            decision.policy().startsWith("database/") == ceilingOfDatabase() < budget.getAsInt(),
                            "capacity: names what does not bind");
                    if (m.group(4) != null) {
                        reason(decision, m.group(4).strip(), this::caps, reading);
                    }
                });
            case POLICY -> {}
            default -> reading.holds(false, "a decision on a database that nobody knows");
        }
    }

    private void ofADomain(Decision decision, Reading reading) {
        String message = decision.message();
        Decision.Inputs inputs = decision.inputs();
        PoolStatus pool = pool(decision.domain());
        reading.holds(
                message.startsWith(decision.domain())
                        || decision.kind() == Decision.Kind.ALARM
                        || decision.kind() == Decision.Kind.UNREACHABLE
                        || decision.kind() == Decision.Kind.REACHABLE,
                "a message that does not begin with its domain");
        switch (decision.kind()) {
            case GREW -> grew(decision, reading);
            case SHRANK -> shrank(decision, reading);
            case RECLAIMED -> reclaimed(decision, reading);
            case HELD -> {
                Matcher turn = TURN.matcher(message);
                if (turn.matches()) {
                    waiting(whole(turn, 2), inputs, reading);
                    reading.holds(
                            pool.inUse() < pool.size() || pool.size() == 0,
                            "held: waits for its turn, and no connection is free");
                    reason(decision, rest(turn, 3), this::paces, reading);
                    return;
                }
                reading.matches(HELD, message, m -> {
                    reading.holds(whole(m, 2) == decision.after().target(), "held: another size than the bounds");
                    waiting(whole(m, 3), inputs, reading);
                    reason(decision, rest(m, 4), this::caps, reading);
                });
            }
            case REFUSED ->
                reading.matches(REFUSED, message, m -> {
                    reading.holds(whole(m, 2) == decision.after().target(), "refused: another size than the bounds");
                    waiting(whole(m, 4), inputs, reading, "refused");
                    reading.holds(
                            m.group(3)
                                    .equalsIgnoreCase(decision.combined()
                                            .whenExhausted()
                                            .mode()
                                            .name()),
                            "refused: another mode than the limits");
                    reason(
                            decision,
                            rest(m, 5),
                            (said, each, of) -> paces(said, each, of) || caps(said, each, of),
                            reading);
                });
            case LIMITS ->
                reading.matches(LIMITS, message, m -> {
                    reading.holds(
                            whole(m, 2) == decision.after().floor()
                                    && whole(m, 3) == decision.after().ceiling(),
                            "limits: other bounds than those after");
                    reading.holds(
                            whole(m, 4) == decision.before().floor()
                                    && whole(m, 5) == decision.before().ceiling(),
                            "limits: other bounds than those before");
                    reading.holds(
                            decision.combined().ceiling() <= budget.getAsInt()
                                    || decision.policy().equals("allocator"),
                            "limits: names a policy where the budget bounds");
                    reason(decision, rest(m, 6), this::caps, reading);
                });
            case LENT ->
                reading.matches(LENT, message, m -> {
                    int unneeded = pools().stream()
                            .filter(other -> !other.domain().equals(decision.domain()))
                            .mapToInt(this::owedAndNotNeeded)
                            .sum();
                    reading.holds(whole(m, 2) <= unneeded, "lent: more than others are owed and do not need");
                });
            case FLUSHED ->
                reading.matches(
                        FLUSHED, message, m -> reading.holds(whole(m, 2) == inputs.size(), "flushed: another size"));
            case DRAINED ->
                reading.matches(
                        DRAINED,
                        message,
                        m -> reading.holds(whole(m, 2) == inputs.inUse(), "drained: another number in use"));
            case CLEARED ->
                reading.matches(ENDED, message, m -> {
                    if (message.contains("recovered")) {
                        afterStep(
                                decision.domain(),
                                after -> reading.holds(
                                        after.alarms().isEmpty(), "cleared: recovered, and another alarm stands"));
                    }
                });
            case ALARM -> alarm(decision, pool, reading);
            case DEGRADED, QUARANTINED -> reading.matches(FAILS, message, m -> failed(m, decision, reading));
            case RECOVERED ->
                reading.matches(
                        RECOVERED,
                        message,
                        m -> afterStep(
                                decision.domain(),
                                after -> reading.holds(after.degraded().isEmpty(), "recovered: and a policy fails")));
            case SHADOW -> {
                if (!message.endsWith("shadow set agrees with the live one again.")) {
                    reading.matches(SHADOW, message, m -> {
                        Matcher hold = HOLD_INSTEAD.matcher(m.group(2));
                        if (hold.find()) {
                            reading.holds(
                                    whole(hold, 1) == decision.after().floor()
                                            && whole(hold, 2)
                                                    == decision.after().ceiling(),
                                    "shadow: other bounds than those after");
                            reading.holds(
                                    whole(hold, 3) == decision.before().floor()
                                            && whole(hold, 4)
                                                    == decision.before().ceiling(),
                                    "shadow: other bounds than those before");
                        }
                        String reason = rest(m, 3);
                        reading.holds(
                                reason.isEmpty()
                                        || decision.answers().stream()
                                                .anyMatch(answer ->
                                                        answer.plugin().equals(decision.policy())
                                                                && answer.limits()
                                                                        .reason()
                                                                        .equals(reason)),
                                "shadow: not the reason of the policy that is named");
                    });
                }
            }
            case POLICY, PAUSED, RESUMED, UNREACHABLE, REACHABLE -> {}
            default -> reading.holds(false, "a decision that nobody knows");
        }
    }

    private void failed(Matcher m, Decision decision, Reading reading) {
        reading.holds(m.group(2).equals(decision.policy()), "failed: another policy than the decision's");
        reading.holds(
                m.group(3).endsWith("is not asked any more") == (decision.kind() == Decision.Kind.QUARANTINED),
                "failed: is asked no more, or is");
        boolean isAsked = m.group(2).startsWith("shadow/") || m.group(2).startsWith("plan/");
        boolean isAside = m.group(4).equals("what is in force stays as it is");
        reading.holds(isAsked == isAside, "failed: who was only asked decides, or a live policy does not");
        if (isTried(decision.answers())) {
            return; // of these only rates and alarms are in force
        }
        decision.answers().stream()
                .filter(answer -> answer.plugin().equals(m.group(2)))
                .forEach(answer -> {
                    reading.holds(
                            own.contains(answer.limits()) == m.group(4).equals("its last answer stands"),
                            "failed: its last answer stands, and it is not its, or another's stands");
                    reading.holds(
                            answer.limits().equals(Limits.unbounded())
                                    || !m.group(4).equals("it sets no limit"),
                            "failed: sets no limit, and does");
                });
    }

    /** Those who wait where there is a rate may wait for that alone: they need no connection. */
    private int owedAndNotNeeded(PoolStatus pool) {
        int guaranteed = pool.answers().stream()
                .mapToInt(answer -> answer.limits().guaranteed())
                .min()
                .orElse(Limits.UNSPECIFIED);
        boolean paced = Math.min(pool.limits().rate(), rateOfDatabase()) < Double.POSITIVE_INFINITY;
        int waitingForConnections = paced || pool.inUse() < pool.target() ? 0 : pool.waiting();
        int needed = Math.max(pool.size(), pool.inUse() + waitingForConnections);
        return guaranteed == Limits.UNSPECIFIED ? 0 : Math.max(0, guaranteed - needed);
    }

    private static boolean isTried(List<Answer> answers) {
        return answers.stream().anyMatch(answer -> answer.plugin().equals(TRIED));
    }

    private void grew(Decision decision, Reading reading) {
        Decision.Inputs inputs = decision.inputs();
        if (TO_FLOOR.matcher(decision.message()).matches()) {
            reading.matches(TO_FLOOR, decision.message(), m -> {
                size(m, decision, reading);
                reading.holds(whole(m, 4) == decision.after().floor(), "grew: another floor than the bounds");
            });
        } else if (BACK.matcher(decision.message()).matches()) {
            reading.matches(BACK, decision.message(), m -> size(m, decision, reading));
        } else {
            reading.matches(ON_DEMAND, decision.message(), m -> {
                size(m, decision, reading);
                reading.holds(whole(m, 4) == inputs.inUse(), "grew: another number in use than the inputs");
                waiting(whole(m, 5), inputs, reading, "grew");
                reading.holds(whole(m, 6) == decision.after().ceiling(), "grew: another ceiling than the bounds");
                reading.holds(whole(m, 4) + whole(m, 5) > whole(m, 2), "grew: on demand, and nothing was asked for");
            });
        }
    }

    private void shrank(Decision decision, Reading reading) {
        String message = decision.message();
        if (DRAINS.matcher(message).matches()) {
            reading.matches(
                    DRAINS,
                    message,
                    m -> reading.holds(whole(m, 2) == decision.before().target(), "draining: another size"));
        } else if (BOTH.matcher(message).matches()) {
            reading.matches(BOTH, message, m -> {
                size(m, decision, reading);
                reading.holds(whole(m, 4) == decision.after().ceiling(), "shrank: another ceiling than the bounds");
                reading.holds(whole(m, 5) == decision.after().target(), "shrank: another size than the bounds");
                idleFor(figure(m, 6), decision, reading);
            });
        } else if (IDLE.matcher(message).matches()) {
            reading.matches(IDLE, message, m -> {
                idleFor(figure(m, 3), decision, reading);
                reading.holds(
                        whole(m, 4) == decision.before().target()
                                && whole(m, 5) == decision.after().target(),
                        "idle: other sizes");
                reading.holds(whole(m, 2) == whole(m, 4) - whole(m, 5), "idle: a number that is not the difference");
                reading.holds(whole(m, 6) == decision.after().floor(), "idle: another floor than the bounds");
                reading.holds(
                        whole(m, 5) >= decision.inputs().inUse(), "idle: nobody needed them, and they were in use");
            });
        } else {
            reading.matches(SHRANK, message, m -> {
                size(m, decision, reading);
                reading.holds(
                        whole(m, 3) == decision.after().ceiling(),
                        "shrank: to less than the policy that is named allows");
                reason(decision, rest(m, 4), this::caps, reading);
            });
        }
    }

    private static void idleFor(double seconds, Decision decision, Reading reading) {
        long timeout = decision.combined().idleTimeoutNanos();
        reading.holds(
                seconds * 1e9 == (timeout == Long.MAX_VALUE ? 600e9 : timeout),
                "idle: another timeout than the limits");
    }

    private void reclaimed(Decision decision, Reading reading) {
        reading.matches(GAVE_BACK, decision.message(), m -> {
            reading.holds(
                    whole(m, 2) == decision.before().target() - decision.after().target(),
                    "reclaimed: not the difference");
            if (m.group(3) != null) {
                PoolStatus other = pool(m.group(3));
                reading.holds(other.waiting() == whole(m, 4), "reclaimed: another number waits there");
                afterStep(m.group(3), after -> {
                    reading.holds(after.state() == PoolStatus.State.OPEN, "reclaimed: for a pool that takes none");
                    reading.holds(
                            other.size()
                                    < Math.min(budget.getAsInt(), after.limits().ceiling()),
                            "reclaimed: for a pool at its ceiling");
                });
                reading.holds(
                        m.group(5) == null || other.size() < whole(m, 5),
                        "reclaimed: owed, and it has as many already");
            }
            String may = m.group(7) != null ? m.group(7) : m.group(10);
            if (may != null) {
                reading.holds(Integer.parseInt(may) == capacity(), "reclaimed: the database may give another number");
            }
        });
    }

    private void size(Matcher m, Decision decision, Reading reading) {
        reading.holds(
                whole(m, 2) == decision.before().target()
                        && whole(m, 3) == decision.after().target(),
                decision.kind().label() + ": other sizes than the bounds");
    }

    private static void waiting(int said, Decision.Inputs inputs, Reading reading) {
        waiting(said, inputs, reading, "held");
        reading.holds(inputs.waiting() > 0, "held: and the inputs know nobody who waits");
    }

    private static void waiting(int said, Decision.Inputs inputs, Reading reading, String what) {
        reading.holds(said == inputs.waiting(), what + ": another number waits than in the inputs");
    }

    /** Whether an answer of a policy is what a decision says that it is. */
    private interface Bounding {

        /** @param isOfDatabase whether the policy is one of the database */
        boolean of(Limits said, Decision decision, boolean isOfDatabase);
    }

    /** Whether an answer gives the least ceiling of its set, and that is less than the budget leaves. */
    private boolean caps(Limits said, Decision decision, boolean isOfDatabase) {
        return isOfDatabase
                ? said.ceiling() == ceilingOfDatabase() && said.ceiling() < budget.getAsInt()
                : said.ceiling() == decision.combined().ceiling() && said.ceiling() <= budget.getAsInt();
    }

    /** Whether an answer gives the slowest rate of the domain's set and the database's. */
    private boolean paces(Limits said, Decision decision, boolean isOfDatabase) {
        return said.rate() < Double.POSITIVE_INFINITY
                && said.rate() == Math.min(decision.combined().rate(), rateOfDatabase());
    }

    /** Whether a policy of that name has given an answer that bounds the pool so. */
    private boolean isBoundBy(String policy, Decision decision, Bounding bounding) {
        return ofDatabase.values().stream()
                        .anyMatch(spoken -> spoken.plugin.equals(policy) && bounding.of(spoken.limits, decision, true))
                || decision.answers().stream()
                        .anyMatch(answer ->
                                answer.plugin().equals(policy) && bounding.of(answer.limits(), decision, false));
    }

    /** The rest of a sentence, which says who bounds the pool; it must be said by whom the decision names. */
    private void reason(Decision decision, String reason, Bounding bounding, Reading reading) {
        String kind = decision.kind().label();
        String policy = decision.policy();
        if (policy.startsWith("database/")) {
            reading.holds(
                    ofDatabase.values().stream()
                            .anyMatch(spoken -> spoken.plugin.equals(policy)
                                    && reason.endsWith(spoken.limits.reason())
                                    && bounding.of(spoken.limits, decision, true)),
                    kind + ": not the reason of the database's policy that binds");
            ofDatabase.values().stream()
                    .filter(spoken -> spoken.plugin.equals(policy))
                    .forEach(spoken -> reading.policy("", spoken.limits, spoken.size, spoken.waiting));
        } else if (policy.equals("allocator")) {
            Matcher all = ALL_GIVEN.matcher(reason);
            if (all.matches()) {
                reading.holds(whole(all, 1) == budget.getAsInt(), kind + ": another budget than there is");
                int sum = 0;
                for (Matcher holder = HOLDER.matcher(all.group(3)); holder.find(); ) {
                    reading.holds(
                            pool(holder.group(1)).size() == whole(holder, 2), kind + ": another size of a holder");
                    sum += whole(holder, 2);
                }
                reading.holds(sum == whole(all, 1), kind + ": holders that do not sum up to what is given");
            } else {
                reading.holds(
                        reason.matches("(\\S+ has a budget of %d\\.|\\S+ holds .*)".formatted(budget.getAsInt())),
                        kind + ": the allocator says what nobody knows");
            }
        } else if (policy.equals("governor")) {
            if (reason.startsWith("It may hold more")) {
                PoolStatus pool = pool(decision.domain());
                reading.holds(pool.state() == PoolStatus.State.OPEN, kind + ": may hold more, and is paused or drains");
            }
        } else {
            reading.holds(
                    decision.answers().stream()
                            .anyMatch(answer -> answer.plugin().equals(policy)
                                    && answer.limits().reason().equals(reason)
                                    && bounding.of(answer.limits(), decision, false)),
                    kind + ": not the reason of the policy that binds");
        }
    }

    private void alarm(Decision decision, PoolStatus pool, Reading reading) {
        String message = decision.message();
        Decision.Inputs inputs = decision.inputs();
        switch (decision.policy()) {
            case "at-ceiling" -> {
                if (AT_SHARE.matcher(message).matches()) {
                    reading.matches(AT_SHARE, message, m -> atShare(whole(m, 2), m.group(3), decision, reading));
                } else if (AT_COMMON_CAP.matcher(message).matches()) {
                    reading.matches(
                            AT_COMMON_CAP, message, m -> atShare(whole(m, 3), "latency-cap", decision, reading));
                } else if (AT_CAP.matcher(message).matches()) {
                    reading.matches(AT_CAP, message, m -> atCeiling(whole(m, 2), "latency-cap", decision, reading));
                } else {
                    reading.matches(AT_CEILING, message, m -> atCeiling(whole(m, 2), m.group(3), decision, reading));
                }
                reading.holds(inputs.waiting() > 0, "at-ceiling: nobody waits");
            }
            case "refusing" ->
                reading.matches(
                        TURNED_AWAY,
                        message,
                        m -> reading.holds(m.group(1).equals(decision.domain()), "refusing: another domain"));
            case "at-rate" -> {
                boolean common = AT_COMMON_RATE.matcher(message).matches();
                reading.matches(common ? AT_COMMON_RATE : AT_RATE, message, m -> {
                    reading.holds(inputs.waiting() > 0, "at-rate: nobody waits");
                    reading.holds(
                            isBoundBy((common ? "database/" : "") + m.group(2), decision, this::paces),
                            "at-rate: names a policy that does not give the slowest rate");
                });
            }
            case "budget-exhausted" ->
                reading.matches(NONE_LEFT, message, m -> {
                    reading.holds(whole(m, 3) == inputs.size(), "budget-exhausted: another size");
                    reading.holds(inputs.waiting() > 0, "budget-exhausted: nobody waits");
                    reading.holds(held() >= budget.getAsInt(), "budget-exhausted: and there is something left");
                });
            case "no-answer" ->
                reading.matches(NO_ANSWER, message, m -> {
                    reading.holds(whole(m, 3) == inputs.inUse(), "no-answer: another number in use");
                    afterStep.add(() -> reading.holds(
                            isSilent(decision.domain()), "no-answer: and a request has just been answered"));
                });
            case "degraded" -> reading.matches(DEGRADED, message, m -> {});
            case "paused" ->
                reading.holds(
                        pool.state() != PoolStatus.State.OPEN
                                || message.matches("\\S+ has been paused( with requests waiting)?\\."),
                        "paused: and is not");
            case "draining" ->
                reading.holds(
                        pool.state() != PoolStatus.State.OPEN
                                || message.endsWith("has been draining and refusing requests."),
                        "draining: and is not");
            default -> {
                List<Answer> answers = decision.answers();
                alarmOfPolicy(
                        decision.domain(),
                        answers,
                        inputs.size(),
                        inputs.waiting(),
                        decision.policy(),
                        message.substring(message.indexOf(": ") + 2),
                        reading);
            }
        }
    }

    private void atCeiling(int ceiling, String policy, Decision decision, Reading reading) {
        reading.holds(ceiling == decision.after().ceiling(), "at-ceiling: another ceiling than the bounds");
        reading.holds(
                isBoundBy(policy, decision, this::caps), "at-ceiling: names a policy that does not give the least");
    }

    /** @param policy of the database */
    private void atShare(int size, String policy, Decision decision, Reading reading) {
        reading.holds(size == decision.inputs().size(), "at-ceiling: another size");
        reading.holds(
                isBoundBy("database/" + policy, decision, this::caps),
                "at-ceiling: a database's policy that does not bind");
    }

    /** Whether no request was answered in the window that has just ended. */
    private boolean isSilent(String domain) {
        Run.Row row = ended.get(domain);
        return row != null
                && row.window().latency().count() == 0
                && row.window().errors() == 0;
    }

    private static String rest(Matcher m, int group) {
        return m.group(group) == null ? "" : m.group(group).strip();
    }

    private static Pattern pattern(String text) {
        return Pattern.compile(text.replace("@C", CONNECTIONS));
    }

    /** One decision or status that is being read. */
    private final class Reading {

        private final String what;

        Reading(String what) {
            this.what = what;
        }

        void holds(boolean condition, String rule) {
            if (!condition) {
                told.contradiction(rule, "at %.3f s: %s".formatted(now() / 1e9, what));
            }
        }

        void matches(Pattern pattern, String message, Consumer<Matcher> then) {
            Matcher matcher = pattern.matcher(message);
            if (matcher.matches()) {
                then.accept(matcher);
            } else {
                holds(false, "a sentence that nobody knows");
            }
        }

        /** What stands in for an answer has the sentence of another policy, or of another moment. */
        void answer(String domain, Answer answer, int size, int waiting) {
            if (isFresh(answer.limits()) || answer.plugin().equals(TRIED)) {
                policy(domain, answer.limits(), size, waiting);
            }
        }

        void policy(String domain, Limits limits, int size, int waiting) {
            Sayings.Truth truth = new Sayings.Truth(
                    limits, size, waiting, budget.getAsInt(), measured(domain), rule -> holds(false, rule));
            afterStep.add(
                    () -> Sayings.check(limits.reason(), truth)); // policies saw the window that ends with the step
        }
    }
}
