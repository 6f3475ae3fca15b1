package dev.headgate.server.leases;

import dev.headgate.engine.TurnedAway;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Requests of one caller that got no lease, for one reason.
 *
 * @param caller without port and thread; beyond 200 callers all others are one, with the holder "others"
 * @param why the reason
 * @param policy the plugin of the policy that bound the pool; null if none did
 * @param reason what that policy said last; may be empty
 * @param count within the last ten minutes
 * @param first since it was turned away without a pause of ten minutes
 */
@Schema(name = "Refusal")
public record RefusalJson(
        CallerJson caller,

        @Schema(
                allowableValues = {
                    "timed out",
                    "failed",
                    "rejected",
                    "queue full",
                    "closed",
                    "ended",
                    "budget used up",
                    "unreachable"
                })
        String why,

        @Nullable String policy,
        String reason,
        long count,
        Instant first,
        Instant last) {

    static RefusalJson of(TurnedAway away) {
        return new RefusalJson(
                CallerJson.of(away.who(), ""),
                away.why().name().toLowerCase(Locale.ROOT).replace('_', ' '),
                away.policy().isEmpty() ? null : away.policy(),
                away.reason(),
                away.count(),
                away.first(),
                away.last());
    }

    /** The same for the same caller and reason, whatever the count. */
    String key() {
        return String.join(
                "\u0001",
                caller.kind(),
                caller.holder(),
                caller.user(),
                caller.application(),
                caller.address(),
                why,
                String.valueOf(policy));
    }
}
