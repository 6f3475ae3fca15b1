package dev.headgate.engine.governor;

import dev.headgate.spi.Policy;
import dev.headgate.spi.WhenExhausted;
import java.util.List;

/**
 * The policies of one domain, or of one database for all its domains, at one revision. The governor owns it from the
 * moment it is swapped in, and alone calls its policies.
 *
 * @param whenExhausted what the set itself says of exhaustion; combined with what its policies say
 * @param onRetired run once by the governor after the last call of any policy of the set, when they have been closed
 */
public record PolicySet(long revision, List<Member> members, WhenExhausted whenExhausted, Runnable onRetired) {

    /**
     * One policy.
     *
     * @param plugin the id of the plugin that made it, as written in the set
     */
    public record Member(String plugin, Policy policy) {}

    public PolicySet {
        members = List.copyOf(members);
    }

    public static PolicySet of(long revision, WhenExhausted whenExhausted, Member... members) {
        return new PolicySet(revision, List.of(members), whenExhausted, () -> {});
    }

    /** The same policies at another revision. One of the two may be given to a governor. */
    public PolicySet at(long revision) {
        return new PolicySet(revision, members, whenExhausted, onRetired);
    }

    /** Restricts nothing. */
    public static PolicySet empty() {
        return of(0, WhenExhausted.unbounded());
    }
}
