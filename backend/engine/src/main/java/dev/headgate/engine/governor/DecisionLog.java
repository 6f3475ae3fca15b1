package dev.headgate.engine.governor;

import dev.headgate.engine.governor.Decision.Bounds;
import dev.headgate.engine.governor.Decision.Inputs;
import dev.headgate.engine.governor.Decision.Kind;
import dev.headgate.engine.time.Time;
import dev.headgate.spi.Limits;
import java.time.Instant;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Turns what a governor does into decisions. A refusal that repeats itself is told once, then counted: its decision keeps
 * its id and is told again, at most once a second, with a larger count.
 */
final class DecisionLog {

    private static final long FORGET_AFTER_NANOS = 10_000_000_000L;
    private static final long TELL_AGAIN_AFTER_NANOS = 1_000_000_000L;

    private static final class Repeated {
        Decision told;
        /** What it has come to since it was told. */
        long count;

        Instant last;
        long lastNanos;
        long toldNanos;

        Repeated(Decision told, long nanos) {
            this.told = told;
            this.count = told.count();
            this.last = told.lastTime();
            this.lastNanos = nanos;
            this.toldNanos = nanos;
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

    /** A decision's words and what it is about. */
    record Account(String message, Subject subject) {}

    void tell(Kind kind, String policy, String message, Subject subject) {
        listener.accept(make(nextId(), time.now(), 1, kind, policy, message, subject));
    }

    /**
     * Tells a refusal, or counts it where the same one (same domain, kind, policy and bounds) was told before.
     *
     * @param after the bounds that refused
     * @param times how many refusals it stands for
     * @param account asked for only where it is told
     */
    void tellOrCount(Kind kind, String policy, String domain, Bounds after, long times, Supplier<Account> account) {
        String key = domain + '|' + kind + '|' + policy + '|' + after;
        long now = time.nanoTime();
        Repeated known = repeated.get(key);
        if (known == null || now - known.lastNanos > FORGET_AFTER_NANOS) {
            Account first = account.get();
            Decision decision = make(nextId(), time.now(), times, kind, policy, first.message(), first.subject());
            repeated.put(key, new Repeated(decision, now));
            listener.accept(decision);
            return;
        }
        known.count += times;
        known.last = time.now();
        known.lastNanos = now;
        if (now - known.toldNanos >= TELL_AGAIN_AFTER_NANOS) {
            Account again = account.get();
            retell(
                    known,
                    make(
                            known.told.id(),
                            known.told.time(),
                            known.count,
                            kind,
                            policy,
                            again.message(),
                            again.subject()),
                    now);
        }
    }

    /** Tells the last counts of refusals that have ended. Called once per window. */
    void sweep() {
        long now = time.nanoTime();
        for (Iterator<Repeated> all = repeated.values().iterator(); all.hasNext(); ) {
            Repeated known = all.next();
            if (known.told.count() < known.count && now - known.toldNanos >= TELL_AGAIN_AFTER_NANOS) {
                retell(known, known.told.again(known.count, known.last), now);
            }
            if (now - known.lastNanos > FORGET_AFTER_NANOS) {
                all.remove();
            }
        }
    }

    private void retell(Repeated known, Decision decision, long now) {
        known.told = decision;
        known.toldNanos = now;
        listener.accept(decision);
    }

    private String nextId() {
        return node + "-" + epoch + "-" + database + "-" + ++sequence;
    }

    private Decision make(
            String id, Instant first, long count, Kind kind, String policy, String message, Subject subject) {
        return new Decision(
                id,
                first,
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
