package dev.headgate.engine;

import dev.headgate.engine.governor.PolicySet;
import dev.headgate.spi.Limits;
import dev.headgate.spi.Policy;
import dev.headgate.spi.WhenExhausted;

/** Policy sets of tests: always the same answer. */
public final class Fixed {

    private Fixed() {}

    public static PolicySet set(long revision, int floor, int ceiling) {
        return set(revision, floor, ceiling, WhenExhausted.queue(5_000, 1_000));
    }

    public static PolicySet set(long revision, int floor, int ceiling, WhenExhausted whenExhausted) {
        Limits limits = Limits.unbounded()
                .withFloor(floor)
                .withCeiling(ceiling)
                .because("the test says " + floor + ".." + ceiling + ".");
        return PolicySet.of(revision, whenExhausted, new PolicySet.Member("fixed", answering(limits)));
    }

    public static Policy answering(Limits limits) {
        return pool -> limits;
    }
}
