package dev.headgate.server.guards;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.swagger.v3.oas.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * The bounds that a revision on probation must not exceed. None is given only for a trial, which ends anyway.
 *
 * @param p99Ms of the requests' latency
 * @param waitP99Ms of the waits for a lease
 * @param errorRate requests that the server answered with an error, as a share (0..1) of all that ended
 * @param refusedRate requests for a lease that were failed, rejected or timed out, as a share (0..1) of all that came
 */
@Schema(name = "GuardBounds")
@JsonInclude(JsonInclude.Include.NON_NULL)
public record GuardBounds(
        @Nullable Double p99Ms,
        @Nullable Double waitP99Ms,
        @Nullable Double errorRate,
        @Nullable Double refusedRate) {}
