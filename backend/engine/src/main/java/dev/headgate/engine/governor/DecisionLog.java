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
 * Turns entries into decisions and tells them to the listener. A refusal that repeats itself is told once, then counted: its
 * decision keeps its id and is told again with a larger count, at most once a second.
 */
final class DecisionLog {

    private static final long FORGET_AFTER_NANOS = 10_000_000_000L;
    private static final long TELL_AGAIN_AFTER_NANOS = 1_000_000_000L;

    private static final class Repeated {
        Decision told;
        /** The count by now. */
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

    /** What is to be told. */
    sealed interface Entry {

        /** Told each time. */
        record Once(Kind kind, String policy, String message, Subject subject) implements Entry {}

        /**
         * Told, or counted where the same one (same domain, kind, policy and bounds) was told before.
         *
         * @param after the bounds that refused
         * @param times how many refusals it stands for
         * @param account made only if it is told
         */
        record Counted(Kind kind, String policy, String domain, Bounds after, long times, Supplier<Account> account)
                implements Entry {

            private String key() {
                return domain + '|' + kind + '|' + policy + '|' + after;
            }
        }
    }

    void tell(Entry entry) {
        switch (entry) {
            case Entry.Once once ->
                listener.accept(
                        make(nextId(), time.now(), 1, once.kind(), once.policy(), once.message(), once.subject()));
            case Entry.Counted counted -> tellOrCount(counted);
        }
    }

    private void tellOrCount(Entry.Counted entry) {
        long now = time.nanoTime();
        Repeated known = repeated.get(entry.key());
        if (known == null || now - known.lastNanos > FORGET_AFTER_NANOS) {
            Decision decision = make(nextId(), time.now(), entry.times(), entry);
            repeated.put(entry.key(), new Repeated(decision, now));
            listener.accept(decision);
            return;
        }
        known.count += entry.times();
        known.last = time.now();
        known.lastNanos = now;
        if (now - known.toldNanos >= TELL_AGAIN_AFTER_NANOS) {
            retell(known, make(known.told.id(), known.told.time(), known.count, entry), now);
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

    private Decision make(String id, Instant first, long count, Entry.Counted entry) {
        Account account = entry.account().get();
        return make(id, first, count, entry.kind(), entry.policy(), account.message(), account.subject());
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
