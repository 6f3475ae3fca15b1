package dev.headgate.engine.governor;

import dev.headgate.engine.governor.Decision.Bounds;
import dev.headgate.engine.governor.Decision.Inputs;
import dev.headgate.engine.governor.Decision.Kind;
import dev.headgate.engine.time.Time;
import dev.headgate.spi.Limits;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Turns what a governor does into decisions. A refusal that repeats itself is told once, then counted: its decision keeps
 * its id and is told again, at most once a second, with a larger count.
 */
final class DecisionLog {

    private static final long FORGET_AFTER_NANOS = 10_000_000_000L;
    private static final long TELL_AGAIN_AFTER_NANOS = 1_000_000_000L;

    private static final class Repeated {
        Decision decision;
        long lastNanos;
        long toldNanos;
        long toldCount;

        Repeated(Decision decision, long nanos) {
            this.decision = decision;
            this.lastNanos = nanos;
            this.toldNanos = nanos;
            this.toldCount = decision.count();
        }
    }

    private final String node;
    private final String database;
    private final Time time;
    private final Consumer<Decision> listener;
    private final Map<String, Repeated> repeated = new HashMap<>();
    private final String epoch;
    private long sequence;

    DecisionLog(String node, String database, Time time, Consumer<Decision> listener) {
        this.node = node;
        this.database = database;
        this.time = time;
        this.listener = listener;
        this.epoch = Long.toString(time.now().toEpochMilli(), 36);
    }

    /** What a decision is about, apart from its kind and words. */
    record Subject(
            String domain,
            long revision,
            Inputs inputs,
            Bounds before,
            Bounds after,
            List<Answer> answers,
            Limits combined) {}

    void tell(Kind kind, String policy, String message, Subject subject) {
        listener.accept(make(kind, policy, message, 1, subject));
    }

    /**
     * Tells a refusal, or counts it where the same one (same domain, kind, policy and bounds) was told before.
     *
     * @param times how many refusals it stands for
     */
    void tellOrCount(Kind kind, String policy, String message, long times, Subject subject) {
        String key = subject.domain() + '|' + kind + '|' + policy + '|' + subject.after();
        long now = time.nanoTime();
        Repeated known = repeated.get(key);
        if (known == null || now - known.lastNanos > FORGET_AFTER_NANOS) {
            Decision decision = make(kind, policy, message, times, subject);
            repeated.put(key, new Repeated(decision, now));
            listener.accept(decision);
            return;
        }
        Decision before = known.decision;
        known.decision = new Decision(
                before.id(),
                before.time(),
                time.now(),
                before.count() + times,
                node,
                database,
                before.domain(),
                subject.revision(),
                kind,
                policy,
                message,
                subject.inputs(),
                subject.before(),
                subject.after(),
                subject.answers(),
                subject.combined());
        known.lastNanos = now;
        if (now - known.toldNanos >= TELL_AGAIN_AFTER_NANOS) {
            retell(known, now);
        }
    }

    /** Tells the last counts of refusals that have ended. Called once per window. */
    void sweep() {
        long now = time.nanoTime();
        for (Iterator<Repeated> all = repeated.values().iterator(); all.hasNext(); ) {
            Repeated known = all.next();
            if (known.toldCount < known.decision.count() && now - known.toldNanos >= TELL_AGAIN_AFTER_NANOS) {
                retell(known, now);
            }
            if (now - known.lastNanos > FORGET_AFTER_NANOS) {
                all.remove();
            }
        }
    }

    private void retell(Repeated known, long now) {
        known.toldNanos = now;
        known.toldCount = known.decision.count();
        listener.accept(known.decision);
    }

    private Decision make(Kind kind, String policy, String message, long count, Subject subject) {
        return new Decision(
                node + "-" + epoch + "-" + database + "-" + ++sequence,
                time.now(),
                time.now(),
                count,
                node,
                database,
                subject.domain(),
                subject.revision(),
                kind,
                policy,
                message,
                subject.inputs(),
                subject.before(),
                subject.after(),
                subject.answers(),
                subject.combined());
    }
}
