package dev.headgate.server.limits;

import dev.headgate.engine.Engine;
import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.server.store.CannotStart;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.springframework.stereotype.Component;

/**
 * Bounds how many things there are that live until somebody deletes them, and that take memory and threads which no account knows.
 * What was stored before a bound was lowered stays. Safe for any thread.
 */
@Component
public final class Counts {

    /** What is counted. */
    public enum Kind {
        DATABASES,
        DOMAINS,
        WIRE_CLIENTS;

        /** As in the API and in the name of the setting: "wire-clients". */
        public String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        private String setting() {
            return "headgate.limits." + label();
        }
    }

    /** How many there are of a kind, and how many there may be. */
    record Line(Kind kind, int now, int most) {}

    private final Map<Kind, Integer> most;
    private final Map<Kind, IntSupplier> now = new EnumMap<>(Kind.class);

    /** How many are being made. */
    private final Map<Kind, AtomicInteger> begun = new EnumMap<>(Kind.class);

    Counts(HeadgateProperties properties, Engine engine) {
        HeadgateProperties.Limits limits = properties.limits();
        this.most = Map.of(
                Kind.DATABASES, limits.databases(),
                Kind.DOMAINS, limits.domains(),
                Kind.WIRE_CLIENTS, limits.wireClients());
        most.forEach((kind, bound) -> {
            if (bound < 1) {
                throw new CannotStart(
                        kind.setting() + " must be at least 1, was " + bound + ".", CannotStart.EXIT_FAILED);
            }
            begun.put(kind, new AtomicInteger());
        });
        now.put(Kind.DATABASES, () -> engine.databases().size());
        now.put(Kind.DOMAINS, () -> engine.databases().stream()
                .mapToInt(database -> database.pools().size())
                .sum());
        now.put(Kind.WIRE_CLIENTS, () -> 0);
    }

    /** Tells how the clients of the wire port are counted. Called once, at the start. */
    public void countClients(IntSupplier clients) {
        now.put(Kind.WIRE_CLIENTS, clients);
    }

    /** How many there may be. */
    public int most(Kind kind) {
        return most.get(kind);
    }

    /**
     * Makes one more. Several may be made at once, and are counted from their beginning on.
     *
     * @throws ProblemException conflict if there are as many as there may be
     */
    public <T> T make(Kind kind, Supplier<T> making) {
        AtomicInteger ofKind = begun.get(kind);
        try {
            if (ofKind.incrementAndGet() + count(kind) > most(kind)) {
                throw ProblemException.of(
                        ProblemType.CONFLICT,
                        "There are as many " + kind.label() + " as there may be: " + bound(kind) + ".");
            }
            return making.get();
        } finally {
            ofKind.decrementAndGet();
        }
    }

    /** The fault of whoever wants to make so many more; empty if there is room for them. */
    public Optional<Fault> faultOf(Kind kind, int more) {
        int then = count(kind) + more;
        return more == 0 || then <= most(kind)
                ? Optional.empty()
                : Optional.of(Fault.at(
                        "", "there would be " + then + " " + kind.label(), "at most " + bound(kind)));
    }

    List<Line> lines() {
        return Arrays.stream(Kind.values())
                .map(kind -> new Line(kind, count(kind), most(kind)))
                .toList();
    }

    private int count(Kind kind) {
        return now.get(kind).getAsInt();
    }

    /** "2000 (headgate.limits.domains)". */
    private String bound(Kind kind) {
        return most(kind) + " (" + kind.setting() + ")";
    }
}
