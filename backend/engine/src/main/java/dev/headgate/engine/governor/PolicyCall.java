package dev.headgate.engine.governor;

import dev.headgate.engine.Shortened;
import dev.headgate.spi.Limits;
import dev.headgate.spi.Policy;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One call of one policy, and what came of it. Run on a {@link PolicyRunner}'s thread; the governor reads the outcome
 * after the runner has returned.
 */
public final class PolicyCall {

    private final PolicySet.Member member;
    private final Function<Policy, @Nullable Object> body;
    private volatile @Nullable Object result;
    private volatile @Nullable String failure;
    private volatile boolean abandoned;
    private volatile long processorNanos;

    PolicyCall(PolicySet.Member member, Function<Policy, @Nullable Object> body) {
        this.member = member;
        this.body = body;
    }

    PolicySet.Member member() {
        return member;
    }

    /** Runs the policy's code; whatever it throws is kept. */
    @SuppressWarnings("Interruption") // a policy cannot be trusted to leave the flag alone
    public void run() {
        try {
            result = body.apply(member.policy());
        } catch (Throwable thrown) {
            failure = textOf(thrown);
        }
        Thread.interrupted();
    }

    /** The policy's own exception is the policy's code, too. */
    private static String textOf(Throwable thrown) {
        String said;
        try {
            said = String.valueOf(thrown.toString());
        } catch (Throwable nothing) {
            said = thrown.getClass().getName();
        }
        return Shortened.to(Limits.LONGEST_REASON, said);
    }

    /** The call lasted longer than it may and was abandoned. */
    public void abandon() {
        abandoned = true;
    }

    /** The call has used so much processor time; told by runners that can tell. */
    public void charge(long nanos) {
        processorNanos = nanos;
    }

    long processorNanos() {
        return processorNanos;
    }

    boolean wasAbandoned() {
        return abandoned;
    }

    @Nullable
    Object result() {
        return result;
    }

    /** What it threw, as a text; null if it threw nothing. */
    @Nullable
    String failure() {
        return failure;
    }
}
