package dev.headgate.server.limits;

import dev.headgate.engine.Engine;
import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
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
        /** Credentials. */
        CLIENTS,
        /** Connected ones. */
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

    /** The bound of one kind. */
    private static final class Bound {
        private final int most;
        private final AtomicInteger begun = new AtomicInteger();
        private volatile IntSupplier there;

        /** @param there how many there are, but those whose making has only begun */
        Bound(int most, IntSupplier there) {
            this.most = most;
            this.there = there;
        }
    }

    private final Map<Kind, Bound> bounds;

    Counts(HeadgateProperties properties, Engine engine) {
        HeadgateProperties.Limits limits = properties.limits();
        this.bounds = Map.of(
                Kind.DATABASES,
                new Bound(limits.databases(), () -> engine.databases().size()),
                Kind.DOMAINS,
                new Bound(
                        limits.domains(),
                        () -> engine.databases().stream()
                                .mapToInt(database -> database.pools().size())
                                .sum()),
                Kind.CLIENTS,
                new Bound(limits.clients(), () -> 0),
                Kind.WIRE_CLIENTS,
                new Bound(limits.wireClients(), () -> 0));
    }

    /**
     * Tells how a kind is counted that nobody else can count: clients of the wire port.
     *
     * @param there called on any thread; must not block
     */
    public void count(Kind kind, IntSupplier there) {
        of(kind).there = there;
    }

    /** How many there may be. */
    public int most(Kind kind) {
        return of(kind).most;
    }

    /**
     * Makes one more. Several may be made at once, and are counted from their beginning on.
     *
     * @throws ProblemException conflict if there are as many as there may be
     */
    public <T> T make(Kind kind, Supplier<T> making) {
        Bound bound = of(kind);
        try {
            if (bound.begun.incrementAndGet() + bound.there.getAsInt() > bound.most) {
                throw ProblemException.of(
                        ProblemType.CONFLICT,
                        "There are as many " + kind.label() + " as there may be: " + told(kind) + ".");
            }
            return making.get();
        } finally {
            bound.begun.decrementAndGet();
        }
    }

    /** The fault of whoever wants to make so many more; empty if there is room for them. */
    public Optional<Fault> faultOf(Kind kind, int more) {
        Bound bound = of(kind);
        int then = bound.there.getAsInt() + more;
        return more == 0 || then <= bound.most
                ? Optional.empty()
                : Optional.of(Fault.at("", "there would be " + then + " " + kind.label(), "at most " + told(kind)));
    }

    List<Line> lines() {
        return Arrays.stream(Kind.values())
                .map(kind -> new Line(kind, of(kind).there.getAsInt(), of(kind).most))
                .toList();
    }

    private Bound of(Kind kind) {
        return Objects.requireNonNull(bounds.get(kind));
    }

    /** "2000 (headgate.limits.domains)". */
    private String told(Kind kind) {
        return most(kind) + " (" + kind.setting() + ")";
    }
}
