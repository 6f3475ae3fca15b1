package dev.headgate.server.problems;

import java.net.URI;

/** The kinds of problem. The last segment of each type's URI is part of the API and never changes. */
public enum ProblemType {
    MALFORMED_REQUEST(400, "malformed-request", "The request cannot be read"),
    UNAUTHENTICATED(401, "unauthenticated", "A token or a session is needed"),
    FORBIDDEN(403, "forbidden", "This is not allowed"),
    ORIGIN_REFUSED(403, "origin-refused", "The request comes from somewhere else"),
    NOT_FOUND(404, "not-found", "There is no such thing"),
    METHOD_NOT_ALLOWED(405, "method-not-allowed", "This method is not offered here"),
    NOT_ACCEPTABLE(406, "not-acceptable", "None of the accepted media types is offered"),
    CONFLICT(409, "conflict", "This is in the way of something else"),
    MANAGED_BY_FILES(409, "managed-by-files", "The policy set is managed by files"),
    STALE_REVISION(412, "stale-revision", "Someone else was faster"),
    STALE_DIFF(412, "stale-diff", "The diff is not the one that was reviewed"),
    PAYLOAD_TOO_LARGE(413, "payload-too-large", "The request, or what it asks for, is too large"),
    UNSUPPORTED_MEDIA_TYPE(415, "unsupported-media-type", "This media type is not read here"),
    INVALID_POLICY_SET(422, "invalid-policy-set", "The policy set is not valid"),
    INVALID_FILES(422, "invalid-files", "The policy files are not valid"),
    INVALID_REQUEST(422, "invalid-request", "The request is not valid"),
    PLUGIN_REFUSED(422, "plugin-refused", "The jar cannot be used as a plugin"),
    DATABASE_UNREACHABLE(422, "database-unreachable", "The database cannot be reached"),
    PRECONDITION_REQUIRED(428, "precondition-required", "The change must say what it is based on"),
    TOO_MANY_REQUESTS(429, "too-many-requests", "This is asked too often"),
    INTERNAL(500, "internal", "Headgate failed"),
    EXHAUSTED(503, "exhausted", "The pool is exhausted"),
    UNAVAILABLE(503, "unavailable", "Headgate cannot do this now"),

    // a statement's error has one type, and a status by its SQLSTATE
    SQL_WRONG(400, "sql-failed", "The statement failed"),
    SQL_FORBIDDEN(403, "sql-failed", "The statement failed"),
    SQL_MISSING(404, "sql-failed", "The statement failed"),
    SQL_READ_ONLY(405, "sql-failed", "The statement failed"),
    SQL_CONFLICT(409, "sql-failed", "The statement failed"),
    SQL_TOO_LARGE(413, "sql-failed", "The statement failed"),
    SQL_BROKEN(500, "sql-failed", "The statement failed"),
    SQL_UNAVAILABLE(503, "sql-failed", "The statement failed"),
    SQL_TIMED_OUT(504, "sql-failed", "The statement failed");

    private final int status;
    private final String segment;
    private final String title;

    ProblemType(int status, String segment, String title) {
        this.status = status;
        this.segment = segment;
        this.title = title;
    }

    public int status() {
        return status;
    }

    public URI uri() {
        return URI.create("https://headgate.dev/problems/" + segment);
    }

    String segment() {
        return segment;
    }

    public String title() {
        return title;
    }

    /** The type for a status that the web framework or the container chose by itself. */
    static ProblemType ofStatus(int status) {
        for (ProblemType type : values()) {
            if (type.status == status) {
                return type;
            }
        }
        return status < 500 ? MALFORMED_REQUEST : INTERNAL;
    }
}
