package dev.headgate.server.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.headgate.engine.governor.Health;
import dev.headgate.engine.governor.PoolStatus;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The current state of one pool.
 *
 * @param ceiling the policies' ceiling, at most the budget
 * @param target the size that the allocator gave
 * @param lent the part of the guarantee that is lent to siblings
 * @param binding the policy that gives the ceiling, or the database's if that one limits the pool; null if the budget does
 * @param health the state in one word, one sentence and one severity
 * @param limit what keeps the pool from growing, or would
 * @param latency of requests, over the last 10 s
 * @param waits of leases, over the last 10 s
 */
@Schema(name = "Pool")
public record PoolJson(
        String domain,
        String database,
        long revision,

        @Schema(allowableValues = {"open", "paused", "draining"})
        String state,

        HealthJson health,
        LimitJson limit,
        int size,
        int inUse,
        int idle,
        int opening,
        int waiting,
        double longestWaitMs,
        int floor,
        int ceiling,
        int guaranteed,
        int lent,
        int budget,
        int target,
        boolean degraded,
        @Nullable String degradedReason,
        @Nullable BindingJson binding,
        List<AnswerJson> answers,
        WhenExhaustedJson whenExhausted,
        List<AlarmJson> alarms,
        LatencyJson latency,
        @JsonProperty("wait") WaitJson waits,
        double arrivalsPerSecond,
        double errorsPerSecond,
        double refusedPerSecond,
        Totals totals) {

    /** Totals since the pool was opened. */
    @Schema(name = "PoolTotals")
    public record Totals(long leases, long requests, long errors, long refused, long timedOut) {

        static Totals of(PoolStatus.Totals totals) {
            return new Totals(totals.leases(), totals.requests(), totals.errors(), totals.refused(), totals.timedOut());
        }
    }

    public static PoolJson of(PoolStatus status) {
        return new PoolJson(
                status.domain(),
                status.database(),
                status.revision(),
                status.state().name().toLowerCase(Locale.ROOT),
                HealthJson.of(Health.of(status)),
                LimitJson.of(status),
                status.size(),
                status.inUse(),
                status.idle(),
                status.opening(),
                status.waiting(),
                Millis.of(status.longestWaitNanos()),
                Math.min(status.floor(), status.budget()),
                Math.min(status.ceiling(), status.budget()),
                status.guaranteed(),
                status.lent(),
                status.budget(),
                status.target(),
                status.degraded().isPresent(),
                status.degraded().orElse(null),
                status.binding().map(BindingJson::of).orElse(null),
                AnswerJson.all(status.answers()),
                WhenExhaustedJson.of(status.limits().whenExhausted()),
                status.alarms().stream().map(AlarmJson::of).toList(),
                LatencyJson.of(status.latency()),
                WaitJson.of(status.waits()),
                Millis.rate(status.arrivalsPerSecond()),
                Millis.rate(status.errorsPerSecond()),
                Millis.rate(status.refusedPerSecond()),
                Totals.of(status.totals()));
    }
}
