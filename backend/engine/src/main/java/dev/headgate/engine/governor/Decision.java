package dev.headgate.engine.governor;

import dev.headgate.spi.Latency;
import dev.headgate.spi.Limits;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * One answer of the governor that changed or refused something, with what it was decided on. Repeated ones keep their
 * id and are told again with a larger count.
 *
 * @param id unique per engine
 * @param time when it was first taken
 * @param lastTime when it was last repeated
 * @param domain the domain; empty where it concerns the whole database
 * @param policy the plugin of the binding policy, "allocator", "governor" or "guard"
 * @param message one sentence an operator understands, with figures
 * @param answers what each policy of the set answered
 * @param combined what they came to, the most restrictive of each part
 */
public record Decision(
        String id,
        Instant time,
        Instant lastTime,
        long count,
        String node,
        String database,
        String domain,
        long revision,
        Kind kind,
        String policy,
        String message,
        Inputs inputs,
        Bounds before,
        Bounds after,
        List<Answer> answers,
        Limits combined) {

    /** The same decision, repeated until then. */
    Decision again(long times, Instant until) {
        return new Decision(
                id, time, until, times, node, database, domain, revision, kind, policy, message, inputs, before, after,
                answers, combined);
    }

    /** What was decided. */
    public enum Kind {
        GREW,
        SHRANK,
        /** Growth was asked for and refused. */
        HELD,
        /** Requests were refused. */
        REFUSED,
        /** Floor or ceiling moved. */
        LIMITS,
        /** A revision of the policy set took effect. */
        POLICY,
        /** The probation of a revision ended, and the guard could not judge it. */
        UNJUDGED,
        DEGRADED,
        RECOVERED,
        QUARANTINED,
        LENT,
        RECLAIMED,
        ALARM,
        CLEARED,
        PAUSED,
        RESUMED,
        FLUSHED,
        DRAINED,
        /** A shadow set would have held other limits than the live one. */
        SHADOW,
        UNREACHABLE,
        REACHABLE;

        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * What the governor saw.
     *
     * @param meanNanos latency of requests in the last window, or in the last ten seconds if the window saw none
     * @param p99Nanos of the same requests
     * @param judgedNanos the latency that the quoted policy judged, where a policy's sentence is quoted that rests on one. It
     *     is of the time that the policy looks at, in the figure that the policy steers by
     */
    public record Inputs(
            int size,
            int inUse,
            int idle,
            int waiting,
            long longestWaitNanos,
            double meanNanos,
            long p99Nanos,
            OptionalDouble judgedNanos) {

        /** @param latency of all of them together */
        static Inputs sum(List<Inputs> parts, Latency latency) {
            int size = 0;
            int inUse = 0;
            int idle = 0;
            int waiting = 0;
            long longest = 0;
            for (Inputs part : parts) {
                size += part.size;
                inUse += part.inUse;
                idle += part.idle;
                waiting += part.waiting;
                longest = Math.max(longest, part.longestWaitNanos);
            }
            return new Inputs(
                    size,
                    inUse,
                    idle,
                    waiting,
                    longest,
                    latency.meanNanos(),
                    latency.percentileNanos(99),
                    OptionalDouble.empty());
        }

        /** The same for a decision that quotes a policy's answer, if it does. */
        Inputs quoting(Optional<Answer> answer) {
            OptionalDouble judged = answer.map(Answer::judgedNanos).orElse(judgedNanos);
            return new Inputs(size, inUse, idle, waiting, longestWaitNanos, meanNanos, p99Nanos, judged);
        }
    }

    /** The pool's bounds; {@code target} is what the allocator gave it. */
    public record Bounds(int floor, int ceiling, int target) {}

    public Decision {
        answers = List.copyOf(answers);
    }
}
