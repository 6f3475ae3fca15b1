package dev.headgate.engine;

import dev.headgate.engine.connect.Opener;
import dev.headgate.engine.connect.Reservoir;
import dev.headgate.engine.gate.Gate;
import dev.headgate.engine.gate.Refusal;
import dev.headgate.engine.governor.Answer;
import dev.headgate.engine.governor.Governor;
import dev.headgate.engine.governor.PoolStatus;
import dev.headgate.engine.recording.LeaseRecorder;
import dev.headgate.engine.time.Time;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Makes the exceptions of requests that get no lease, with the situation that they found, and notes them. Safe for any number of threads. */
final class LeaseFailures {

    private final String domain;
    private final Gate gate;
    private final Opener opener;
    private final Reservoir reservoir;
    private final Governor governor;
    private final Refusals refusals;
    private final LeaseRecorder leases;
    private final Time time;
    private final BooleanSupplier closing;

    /** @param closing whether the domain is being removed */
    LeaseFailures(
            String domain,
            Gate gate,
            Opener opener,
            Reservoir reservoir,
            Governor governor,
            Refusals refusals,
            LeaseRecorder leases,
            Time time,
            BooleanSupplier closing) {
        this.domain = domain;
        this.gate = gate;
        this.opener = opener;
        this.reservoir = reservoir;
        this.governor = governor;
        this.refusals = refusals;
        this.leases = leases;
        this.time = time;
        this.closing = closing;
    }

    /** The exception for a request that the gate has refused. */
    LeaseException refused(LeaseRequest request, Refusal refusal) {
        LeaseException refused = exception(refusal);
        refusals.note(request, refused);
        return refused;
    }

    private LeaseException exception(Refusal refusal) {
        leases.refused(time.nanoTime() - refusal.waitedNanos(), refusal.waitedNanos());
        if (refusal.why() == Refusal.Why.TIMED_OUT) {
            return exception(refusal.waitedNanos(), cause(null), null, gate.isHeldByRate());
        }
        LeaseException.Cause why = switch (refusal.why()) {
            case TIMED_OUT -> LeaseException.Cause.TIMED_OUT;
            case FAILED -> LeaseException.Cause.FAILED;
            case REJECTED -> LeaseException.Cause.REJECTED;
            case QUEUE_FULL -> LeaseException.Cause.QUEUE_FULL;
            case CLOSED -> LeaseException.Cause.CLOSED;
            case ENDED -> LeaseException.Cause.ENDED;
            case INTERRUPTED -> LeaseException.Cause.INTERRUPTED;
        };
        Throwable cause = opener.failure().<Throwable>map(Opener.Failure::cause).orElse(null);
        boolean paced = refusal.why() == Refusal.Why.QUEUE_FULL && gate.isHeldByRate();
        return new LeaseException(why, situation(refusal.waitedNanos(), paced), cause);
    }

    /** A cause of {@link #cause} in the gate's words. */
    static Refusal.Why why(LeaseException.Cause cause) {
        return switch (cause) {
            case CLOSED -> Refusal.Why.CLOSED;
            case INTERRUPTED -> Refusal.Why.INTERRUPTED;
            case TIMED_OUT -> Refusal.Why.TIMED_OUT;
            default -> Refusal.Why.FAILED;
        };
    }

    /** The exception for a request that got a permit but no connection. */
    LeaseException withoutConnection(
            LeaseRequest request, long waitedNanos, LeaseException.Cause cause, Throwable fault) {
        leases.refused(time.nanoTime() - waitedNanos, waitedNanos);
        LeaseException refused = exception(waitedNanos, cause, fault, false);
        refusals.note(request, refused);
        return refused;
    }

    private LeaseException exception(
            long waitedNanos, LeaseException.Cause cause, @Nullable Throwable otherwise, boolean paced) {
        Throwable behind = switch (cause) {
            case BUDGET_USED_UP ->
                opener.overBudget().<Throwable>map(each -> each).orElse(otherwise);
            case UNREACHABLE, TIMED_OUT ->
                opener.failure().<Throwable>map(Opener.Failure::cause).orElse(otherwise);
            default -> otherwise;
        };
        return new LeaseException(cause, situation(waitedNanos, paced), behind);
    }

    /**
     * Why a request gets no connection: what it waited for.
     *
     * @param fault what ended its wait; null for its deadline
     */
    LeaseException.Cause cause(@Nullable Throwable fault) {
        if (reservoir.isClosed()) {
            return LeaseException.Cause.CLOSED;
        }
        if (fault != null && fault.getCause() instanceof InterruptedException) {
            return LeaseException.Cause.INTERRUPTED;
        }
        if (opener.overBudget().isPresent()) {
            return LeaseException.Cause.BUDGET_USED_UP;
        }
        return opener.failure().isPresent() ? LeaseException.Cause.UNREACHABLE : LeaseException.Cause.TIMED_OUT;
    }

    /** @param paced whether a rate alone kept the request waiting */
    private LeaseException.Situation situation(long waitedNanos, boolean paced) {
        Optional<PoolStatus> status = governor.status(domain);
        String shut = shut(status.map(PoolStatus::state).orElse(PoolStatus.State.OPEN));
        Optional<Answer> pacing = paced ? status.flatMap(this::slowest) : Optional.empty();
        Optional<Answer> binding =
                !shut.isEmpty() ? Optional.empty() : pacing.isPresent() ? pacing : status.flatMap(PoolStatus::binding);
        return new LeaseException.Situation(
                domain,
                status.map(PoolStatus::revision).orElse(0L),
                gate.places(),
                gate.inUse(),
                gate.waiting(),
                waitedNanos,
                status.map(PoolStatus::ceiling).orElse(0),
                binding.map(Answer::plugin).orElse(""),
                shut.isEmpty() ? binding.map(answer -> answer.limits().reason()).orElse("") : shut,
                pacing.map(answer -> answer.limits().rate()).orElse(Double.POSITIVE_INFINITY));
    }

    /** The policy with the lowest rate, of the domain's and of the database's. */
    private Optional<Answer> slowest(PoolStatus status) {
        return Stream.concat(status.answers().stream(), governor.answers().stream())
                .filter(answer -> Double.isFinite(answer.limits().rate()))
                .min(Comparator.comparingDouble(answer -> answer.limits().rate()));
    }

    /** Why no request may pass, whatever its policies say; empty while requests may. */
    private String shut(PoolStatus.State state) {
        if (closing.getAsBoolean()) {
            return domain + " is being removed";
        }
        return switch (gate.rules().passage()) {
            case OPEN -> "";
            case PAUSED -> domain + " is paused";
            case CLOSED -> state == PoolStatus.State.DRAINING ? domain + " is draining" : domain + " is being removed";
        };
    }
}
