package dev.headgate.server.domains;

import io.swagger.v3.oas.annotations.media.Schema;
import jakarta.validation.constraints.Pattern;
import org.hibernate.validator.constraints.Range;
import org.jspecify.annotations.Nullable;

/** Changes of a domain's settings for SQL over HTTP. Omitted fields keep their values, or get the default in a new domain. */
@Schema(name = "DomainSqlPatch")
public record DomainSqlRequest(
        @Schema(allowableValues = {"write", "read", "off"})
        @Pattern(regexp = "^(write|read|off)$", message = "must be what may be done")
        @Nullable
        String access,

        @Range(min = 0, max = MOST_ROWS, message = "must be a number of rows") @Nullable
        Long maxRows,

        @Range(min = 0, max = MOST_BYTES, message = "must be a number of bytes") @Nullable
        Long maxBytes,

        @Range(min = 0, max = MOST_TIME_MS, message = "must be a number of milliseconds") @Nullable
        Integer timeoutMs) {

    static final long MOST_ROWS = 1_000_000_000_000L;
    static final long MOST_BYTES = 1L << 50;
    static final int MOST_TIME_MS = 86_400_000;

    /** A request that sets all of these settings. */
    public static DomainSqlRequest of(DomainSqlJson sql) {
        return new DomainSqlRequest(sql.access(), sql.maxRows(), sql.maxBytes(), sql.timeoutMs());
    }
}
