package dev.headgate.bench.worlds;

import dev.headgate.engine.governor.PolicySet;
import dev.headgate.simulator.Clients;
import dev.headgate.simulator.Load;
import dev.headgate.simulator.ServiceTime;
import dev.headgate.simulator.SimulatedServer;
import dev.headgate.simulator.Simulator;
import dev.headgate.simulator.worlds.Statistic;
import dev.headgate.spi.Limits;
import dev.headgate.spi.Policy;
import dev.headgate.spi.WhenExhausted;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A database that is five to fifteen times slower for 10 s, before clients that give up after a while and try again. The pool's
 * server could do all of the work, with a fifth to a third of it to spare; but all clients that try four times ask for about three
 * times what it can do.
 *
 * <p>Goodput is the number of clients that are answered while they still wait. A storm is over when it is back at 0.95 of what came
 * before, in the second that begins 10 s after the slowdown's end and on average from there on.
 */
final class RetryStorm {

    static final Duration WARM = Duration.ofSeconds(20);
    static final Duration FROM = Duration.ofSeconds(40);
    static final Duration OVER = FROM.plusSeconds(10);
    static final Duration DUE = OVER.plusSeconds(10);
    static final Duration END = OVER.plusSeconds(30);

    private static final int BUDGET = 100;
    private static final int ATTEMPTS = 4;

    private RetryStorm() {}

    /** What stands before the database. */
    enum Guard {
        FIXED_LONG_QUEUE("fixed size, queue of 10 s"),
        FIXED_SHORT_QUEUE("fixed size, queue of half the patience"),
        CAP_LONG_QUEUE("latency-cap, queue of 10 s"),
        CAP_SHORT_QUEUE("latency-cap, queue of half the patience"),
        CAP_DELEGATE("latency-cap and delegate, queue of 10 s"),
        FIXED_DELEGATE("fixed size and delegate, queue of 10 s"),
        VEGAS_LONG_QUEUE("vegas, queue of 10 s"),
        VEGAS_SHORT_QUEUE("vegas, queue of half the patience"),
        GRADIENT2_LONG_QUEUE("gradient2, queue of 10 s"),
        GRADIENT2_SHORT_QUEUE("gradient2, queue of half the patience");

        private final String label;

        Guard(String label) {
            this.label = label;
        }

        String label() {
            return label;
        }
    }

    /**
     * @param bestSize connections that serve the most under the cap
     * @param perSecond clients
     */
    record Storm(
            long seed,
            double baseMs,
            double slopeMs,
            int bestSize,
            double capMs,
            double perSecond,
            double slower,
            Duration patience) {

        static Storm of(long seed) {
            SplittableRandom random = new SplittableRandom(seed * 7919 + 3);
            double base = random.nextDouble(5, 30);
            double slope = base * random.nextDouble(0.03, 0.2);
            int best = 6 + random.nextInt(15);
            double capMs = base + slope * (best + 0.5);
            double serves = best / (base + slope * best) * 1e3;
            return new Storm(
                    seed,
                    base,
                    slope,
                    best,
                    capMs,
                    serves * random.nextDouble(0.67, 0.8),
                    random.nextDouble(5, 15),
                    Duration.ofMillis(random.nextLong(500, 2_000)));
        }
    }

    /**
     * @param before goodput before the slowdown, clients per second
     * @param during of its ten seconds
     * @param after from 10 s after its end on
     * @param backSeconds from its end to the first of three seconds in a row with 0.95 of what was before
     */
    record Outcome(double before, double during, double after, double backSeconds) {

        /** Goodput after the storm in multiples of that before it; 0 where the pool was down before the storm already. */
        double recovered() {
            return before > 0 ? after / before : 0;
        }

        /** Goodput during the slowdown, likewise. */
        double kept() {
            return before > 0 ? during / before : 0;
        }

        boolean isBack() {
            return recovered() >= 0.95 && backSeconds <= 10;
        }
    }

    static Outcome run(Storm storm, Guard guard) {
        return outcome(clients(storm, guard));
    }

    static Clients clients(Storm storm, Guard guard) {
        Load load = Load.perSecond(0.3 * storm.perSecond)
                .then(Duration.ofSeconds(5), 0.6 * storm.perSecond)
                .then(Duration.ofSeconds(10), storm.perSecond);
        Clients clients = Clients.of(load, storm.patience, ATTEMPTS, Duration.ofMillis(200));
        SimulatedServer server = new SimulatedServer(ServiceTime.linear(storm.baseMs, storm.slopeMs), 0.6, storm.seed)
                .slower(storm.slower, FROM, Duration.ofSeconds(10));
        new Simulator(server, BUDGET, storm.seed)
                .domain("shop", clients, set(storm, guard))
                .runFor(END);
        return clients;
    }

    private static Outcome outcome(Clients clients) {
        double before = clients.goodput(WARM, FROM);
        double back = Double.POSITIVE_INFINITY;
        for (Duration at = OVER; at.plusSeconds(3).compareTo(END) <= 0; at = at.plusSeconds(1)) {
            if (clients.goodput(at, at.plusSeconds(3)) >= 0.95 * before) {
                back = at.minus(OVER).toSeconds();
                break;
            }
        }
        return new Outcome(before, clients.goodput(FROM, OVER), clients.goodput(DUE, END), back);
    }

    private static PolicySet set(Storm storm, Guard guard) {
        List<PolicySet.Member> members = new ArrayList<>();
        switch (guard) {
            case FIXED_LONG_QUEUE, FIXED_SHORT_QUEUE, FIXED_DELEGATE -> {
                Limits fixed = Limits.unbounded().withFloor(storm.bestSize).withCeiling(storm.bestSize);
                members.add(new PolicySet.Member("fixed", pool -> fixed));
            }
            case VEGAS_LONG_QUEUE, VEGAS_SHORT_QUEUE -> members.add(member(Contender.VEGAS, storm));
            case GRADIENT2_LONG_QUEUE, GRADIENT2_SHORT_QUEUE -> members.add(member(Contender.GRADIENT2, storm));
            case CAP_LONG_QUEUE, CAP_SHORT_QUEUE, CAP_DELEGATE -> members.add(member(Contender.LATENCY_CAP, storm));
        }
        if (guard == Guard.CAP_DELEGATE || guard == Guard.FIXED_DELEGATE) {
            Policy delegate =
                    Contender.shipped("delegate", Map.of("waiting", 10, "waitMs", storm.patience.toMillis() / 4));
            members.add(new PolicySet.Member("delegate", delegate));
        }
        boolean isShort = switch (guard) {
            case FIXED_SHORT_QUEUE, CAP_SHORT_QUEUE, VEGAS_SHORT_QUEUE, GRADIENT2_SHORT_QUEUE -> true;
            default -> false;
        };
        WhenExhausted queue = WhenExhausted.queue(isShort ? storm.patience.toMillis() / 2 : 10_000, 100_000);
        return new PolicySet(1, members, queue, () -> {});
    }

    private static PolicySet.Member member(Contender contender, Storm storm) {
        return new PolicySet.Member(contender.label(), contender.policy(storm.capMs, Statistic.MEAN));
    }
}
