package dev.headgate.server.domains;

import io.swagger.v3.oas.annotations.media.Schema;

/**
 * A domain's settings for SQL over HTTP. A change applies to requests that come later.
 *
 * @param access whether requests may change data (write), read it (read), or are refused (off)
 * @param maxRows the most rows of one answer; one with more fails. 0 for no limit
 * @param maxBytes the most bytes of values in the answers to one request; 0 for no limit
 * @param timeoutMs the most time of a request; 0 for the service's own limit alone
 */
@Schema(name = "DomainSql")
public record DomainSqlJson(
        @Schema(allowableValues = {"write", "read", "off"}) String access, long maxRows, long maxBytes, int timeoutMs) {

    /** The settings of a domain that was created without any. */
    public static final DomainSqlJson DEFAULT = new DomainSqlJson("write", 0, 0, 0);

    /** These settings with the changes of a request. */
    public DomainSqlJson with(DomainSqlRequest patch) {
        return new DomainSqlJson(
                patch.access() == null ? access : patch.access(),
                patch.maxRows() == null ? maxRows : patch.maxRows(),
                patch.maxBytes() == null ? maxBytes : patch.maxBytes(),
                patch.timeoutMs() == null ? timeoutMs : patch.timeoutMs());
    }
}
