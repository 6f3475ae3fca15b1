package dev.headgate.server.problems;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Ends a request with a problem. Nothing was changed when it is thrown. */
public final class ProblemException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final ProblemType type;
    private final transient List<Fault> faults;
    private final @Nullable Long currentRevision;
    private final @Nullable String currentActor;
    private final @Nullable Duration retryAfter;
    private final transient @Nullable Object diff;
    private final transient @Nullable SqlErrorJson sql;

    private ProblemException(
            ProblemType type,
            String detail,
            List<Fault> faults,
            @Nullable Long currentRevision,
            @Nullable String currentActor,
            @Nullable Duration retryAfter,
            @Nullable Object diff,
            @Nullable SqlErrorJson sql) {
        super(detail);
        this.sql = sql;
        this.type = type;
        this.faults = List.copyOf(faults);
        this.currentRevision = currentRevision;
        this.currentActor = currentActor;
        this.retryAfter = retryAfter;
        this.diff = diff;
    }

    /** @param detail one sentence for a person; never holds a secret */
    public static ProblemException of(ProblemType type, String detail) {
        return new ProblemException(type, detail, List.of(), null, null, null, null, null);
    }

    public static ProblemException of(ProblemType type, Faults faults) {
        return new ProblemException(type, faults.counted(), faults.list(), null, null, null, null, null);
    }

    /** The same for a list, of which the first {@value Faults#MOST} are told. */
    public static ProblemException of(ProblemType type, List<Fault> faults) {
        Faults gathered = new Faults();
        gathered.addAll(faults);
        return of(type, gathered);
    }

    public static ProblemException of(ProblemType type, String detail, Fault fault) {
        return new ProblemException(type, detail, List.of(fault), null, null, null, null, null);
    }

    /** The same request may be made again, after some time: {@code Retry-After} says so. */
    public static ProblemException retry(ProblemType type, String detail, Duration after) {
        return new ProblemException(type, detail, List.of(), null, null, after, null, null);
    }

    public static ProblemException notFound(String kind, String name) {
        return of(ProblemType.NOT_FOUND, "There is no " + kind + " '" + name + "'.");
    }

    /** The change was based on another revision than the one in force. */
    public static ProblemException stale(long expected, long current, @Nullable String actor) {
        String detail = "This is based on revision " + expected + ", but revision " + current + " is in force"
                + (actor == null ? "." : ", made by " + actor + ".");
        return new ProblemException(ProblemType.STALE_REVISION, detail, List.of(), current, actor, null, null, null);
    }

    /**
     * What is to be applied is not what was reviewed.
     *
     * @param diff what would change now; becomes part of the problem
     */
    public static ProblemException staleDiff(String detail, Object diff) {
        return new ProblemException(ProblemType.STALE_DIFF, detail, List.of(), null, null, null, diff, null);
    }

    /**
     * A statement failed.
     *
     * @param after as for {@link #retry}; null where that says nothing
     */
    public static ProblemException sql(ProblemType type, SqlErrorJson error, @Nullable Duration after) {
        return new ProblemException(type, error.message(), List.of(), null, null, after, null, error);
    }

    /** The same, and which part of the request it is about. */
    public ProblemException at(Fault fault) {
        return new ProblemException(
                type,
                String.valueOf(getMessage()),
                List.of(fault),
                currentRevision,
                currentActor,
                retryAfter,
                diff,
                sql);
    }

    public ProblemType type() {
        return type;
    }

    public List<Fault> faults() {
        return faults;
    }

    /** Of a stale diff: what would change now. */
    public @Nullable Object diff() {
        return diff;
    }

    /** Of a statement's error: what the server says. */
    public @Nullable SqlErrorJson sql() {
        return sql;
    }

    @Nullable
    Long currentRevision() {
        return currentRevision;
    }

    @Nullable
    String currentActor() {
        return currentActor;
    }

    /** Whole seconds until the request may be made again; null where that says nothing. */
    public @Nullable Long retryAfterSeconds() {
        return retryAfter == null ? null : Math.max(1, retryAfter.toSeconds());
    }
}
