package dev.headgate.server.longrequests;

import dev.headgate.server.limits.LongRequest;
import dev.headgate.server.limits.LongWork;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A request that takes long.
 *
 * @param of "domains/shop", "databases/main", "files/NAME", "policy-plugins/ID/VERSION", or empty for everything
 * @param author who asks
 * @param state it waits for a place, its work runs, or ends because nobody waits for it any more
 * @param elapsedMs since it came
 * @param progress the done share of its work, from 0 to 1; null if the work does not tell it
 * @param memoryBytes reserved for it: an estimate that is made before its work begins
 * @param cancellable false for what changes something: it runs to its end
 */
@Schema(name = "LongWork")
record LongRequestJson(
        String id,

        @Schema(allowableValues = {"replay", "plan", "diff", "apply", "adopt", "export", "history"})
        String kind,

        String of,
        String author,

        @Schema(allowableValues = {"waiting", "running", "ending"})
        String state,

        double elapsedMs,
        @Nullable Double progress,
        long memoryBytes,
        boolean cancellable) {

    static LongRequestJson of(LongRequest request) {
        LongWork work = request.work();
        double share = request.share();
        return new LongRequestJson(
                request.id(),
                work.kind().label(),
                work.of(),
                request.author().name(),
                request.state().name().toLowerCase(Locale.ROOT),
                request.age().toNanos() / 1e6,
                share < 0 ? null : share,
                work.bytes(),
                request.canBeCancelled());
    }
}
