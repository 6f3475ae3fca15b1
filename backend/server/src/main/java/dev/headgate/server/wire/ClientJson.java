package dev.headgate.server.wire;

import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;

/**
 * One client of a domain, without its password's verifier.
 *
 * @param createdBy who made it
 * @param connected its open connections to the wire port
 */
@Schema(name = "WireClient")
record ClientJson(String name, Instant createdAt, String createdBy, int connected) {}
