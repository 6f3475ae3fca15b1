package dev.headgate.server.wire;

import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;

/**
 * One client of a domain, without what proves its password.
 *
 * @param createdBy who made it
 * @param connected how many connections of it the wire port serves now
 */
@Schema(name = "WireClient")
record ClientJson(String name, Instant createdAt, String createdBy, int connected) {}
