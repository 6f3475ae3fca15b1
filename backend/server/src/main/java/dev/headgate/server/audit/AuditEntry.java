package dev.headgate.server.audit;

import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One change.
 *
 * @param before the thing before it; null where there was none
 * @param after the thing after it; null where there is none
 * @param remote the address the request came from; empty where Headgate did it by itself
 */
@Schema(name = "AuditEntry")
record AuditEntry(
        String id,
        Instant time,
        String node,
        String actor,
        String action,
        String target,
        @Nullable Map<String, Object> before,
        @Nullable Map<String, Object> after,
        String remote) {}
