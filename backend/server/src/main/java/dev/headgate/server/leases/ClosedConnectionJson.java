package dev.headgate.server.leases;

import dev.headgate.engine.meter.ClosedConnection;
import dev.headgate.engine.meter.Ending;
import dev.headgate.server.api.Millis;
import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.Locale;

/**
 * A connection that was closed.
 *
 * @param why in a word
 * @param sentence why, for people: "the database had ended it"
 * @param ageMs how long it lived
 */
@Schema(name = "ClosedConnection")
public record ClosedConnectionJson(
        String id,
        Instant closedAt,

        @Schema(
                allowableValues = {
                    "lifetime",
                    "shrunk",
                    "unneeded",
                    "reclaimed",
                    "drained",
                    "database",
                    "discarded",
                    "reset-failed",
                    "flushed",
                    "operator",
                    "pool-closed",
                    "untested"
                })
        String why,

        String sentence,
        long ageMs,
        long requests,
        long errors,
        double p99Ms) {

    static ClosedConnectionJson of(ClosedConnection closed) {
        return new ClosedConnectionJson(
                closed.last().id(),
                closed.closed(),
                word(closed.why()),
                closed.why().sentence(),
                Millis.whole(closed.last().ageNanos()),
                closed.last().requests(),
                closed.last().errors(),
                Millis.of(closed.last().sinceConnect().p99Nanos()));
    }

    private static String word(Ending why) {
        return why.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
