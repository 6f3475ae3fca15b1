package dev.headgate.server.live;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.headgate.server.api.PoolJson;
import dev.headgate.server.api.SampleJson;
import io.swagger.v3.oas.annotations.media.Schema;

/** A pool's current state, and its measurements since the client's last frame. */
@Schema(name = "PoolDelta")
record PoolDelta(@JsonUnwrapped PoolJson pool, SampleJson sample) {}
