package dev.headgate.server.sql;

import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.limits.Departures;
import dev.headgate.server.limits.RequestMemory;
import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.sql.SqlFailure;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;
import org.springframework.util.MimeTypeUtils;
import tools.jackson.databind.json.JsonMapper;

/** Writes the answers of runs in the format that their callers accept. Safe for any thread. */
@Component
final class SqlAnswers {

    private static final Logger log = LoggerFactory.getLogger(SqlAnswers.class);

    static final String NDJSON = "application/x-ndjson";
    static final String CSV = "text/csv";
    static final String ARROW = "application/vnd.apache.arrow.stream";
    static final String JSON = MediaType.APPLICATION_JSON_VALUE;

    /** The first is the default. */
    private static final List<MediaType> OFFERED = List.of(
            MediaType.parseMediaType(NDJSON),
            MediaType.APPLICATION_JSON,
            MediaType.parseMediaType(CSV),
            MediaType.parseMediaType(ARROW));

    private static final List<MediaType> ALL = List.of(MediaType.ALL);

    /** Those with room for the rows of one statement alone. */
    private static final Set<String> SINGLE = Set.of(CSV, ARROW);

    /** Each answer's vectors hold one piece of rows: 16 KB, or one row. They are outside the heap. */
    private static final int ROWS_OF_ARROW = 8;

    private final Departures departures;
    private final RequestMemory memory;
    private final JsonMapper json;
    private final long mostWhole;
    private final BufferAllocator arrow;

    SqlAnswers(Departures departures, RequestMemory memory, JsonMapper json, HeadgateProperties properties) {
        this.departures = departures;
        this.memory = memory;
        this.json = json;
        this.mostWhole = properties.sql().whole().toBytes();
        this.arrow = new RootAllocator(ROWS_OF_ARROW * properties.sql().row().toBytes());
    }

    /**
     * Writes the answer of a run, and ends the run.
     *
     * @param begin begins it; called once the format is known
     * @throws ProblemException if it fails before anything was sent
     */
    void write(
            SqlRequest body,
            HttpServletRequest request,
            HttpServletResponse response,
            SqlTimes times,
            Supplier<SqlRun> begin)
            throws IOException {
        boolean several = body.statements() != null;
        boolean whole = isWithoutChunks(request);
        MediaType type = wanted(request, each -> !isSingle(each) || !(several || whole));
        requireChunks(type, request);
        if (several && isSingle(type)) {
            throw ProblemException.of(
                    ProblemType.INVALID_REQUEST,
                    type + " has room for one answer.",
                    Fault.at("/statements", "cannot be answered as " + type, "sql, or another Accept"));
        }
        Sink out = new Sink(
                new Way(type, response, times),
                type.equals(MediaType.APPLICATION_JSON) ? Sink.WHOLE : 0,
                memory::tryHold);
        try (SqlRun run = begin.get();
                AnswerFormat format = format(type, out, several)) {
            boolean _ = run.write(format, out);
            if (!out.isOpen()) {
                response.setContentLength(out.size());
            }
            out.end();
        } catch (SqlRun.Failed failed) {
            throw problem(failed.why(), several ? failed.statement() : null);
        } catch (SqlRun.BrokenOff | UncheckedIOException e) {
            departures.breakOff(request);
        } catch (RuntimeException e) {
            breakOff(request, out, e);
        }
    }

    /**
     * A failure that is the whole answer. Where the gate has refused all statements, it is of none of them.
     *
     * @param statement its number; null where there is one only, or it is of none
     */
    private static ProblemException problem(SqlFailure why, @Nullable Integer statement) {
        ProblemException problem = SqlStates.problem(why);
        return statement == null || why.refusal().isPresent()
                ? problem
                : problem.at(Fault.at("/statements/" + statement, "failed: " + why.getMessage()));
    }

    /**
     * Without chunks an answer ends with its connection. In a format without a last record nobody could tell a part of it from the
     * whole: where this service is killed, its system ends the connection as after a whole answer.
     *
     * @throws ProblemException not-acceptable if that is so
     */
    private static void requireChunks(MediaType type, HttpServletRequest request) {
        if (isSingle(type) && isWithoutChunks(request)) {
            throw ProblemException.of(
                    ProblemType.NOT_ACCEPTABLE,
                    "Over HTTP/1.0 an answer as " + type + " that broke off would look whole. Use HTTP/1.1 (nginx:"
                            + " proxy_http_version 1.1), or " + NDJSON + ", whose last record says that it is all.");
        }
    }

    private static boolean isWithoutChunks(HttpServletRequest request) {
        return request.getProtocol().equals("HTTP/1.0");
    }

    private static boolean isSingle(MediaType type) {
        return SINGLE.contains(type.toString());
    }

    /** @throws ProblemException not-acceptable if the caller does not take the format of kept answers */
    void requireNdjson(HttpServletRequest request) {
        if (!isNdjson(wanted(request, SqlAnswers::isNdjson))) {
            throw ProblemException.of(
                    ProblemType.NOT_ACCEPTABLE, "With an Idempotency-Key the answer is " + NDJSON + " alone.");
        }
    }

    private static boolean isNdjson(MediaType type) {
        return type.toString().equals(NDJSON);
    }

    /**
     * Copies a kept answer, from its beginning, while it comes.
     *
     * @throws ProblemException if it is a failure alone
     */
    void copy(KeptAnswer answer, HttpServletRequest request, HttpServletResponse response) throws IOException {
        try {
            BooleanSupplier gone = departures.ofCaller();
            answer.awaitBegin(gone);
            Optional<KeptAnswer.FailureAlone> alone = answer.failureAlone();
            if (alone.isPresent()) {
                answer.awaitEnd(gone); // whoever knows that it failed may send it again
                throw problem(alone.get().why(), alone.get().statement());
            }
            response.setContentType(NDJSON);
            response.setHeader("Cache-Control", "no-store");
            if (!answer.copy(0, response.getOutputStream(), gone)) {
                departures.breakOff(request);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            departures.breakOff(request);
        }
    }

    /** Writes the answers of several domains. */
    void gather(HttpServletRequest request, HttpServletResponse response, SqlTimes times, Supplier<Scatter> begin)
            throws IOException {
        Sink out = new Sink(new Way(OFFERED.getFirst(), response, times), 0, memory::tryHold);
        try (Scatter scatter = begin.get()) {
            scatter.write(new JsonRecords(out, json), out);
            out.end();
        } catch (SqlRun.Failed failed) {
            throw SqlStates.problem(failed.why())
                    .at(Fault.at(
                            "/branches/" + failed.statement(),
                            "failed: " + failed.why().getMessage()));
        } catch (SqlRun.BrokenOff | UncheckedIOException e) {
            departures.breakOff(request);
        } catch (RuntimeException e) {
            breakOff(request, out, e);
        }
    }

    /** An answer that has begun cannot become a problem: its caller must see that it is not whole. */
    private void breakOff(HttpServletRequest request, Sink out, RuntimeException e) {
        if (!out.isOpen()) {
            throw e;
        }
        log.error("An answer was broken off by a fault of Headgate's", e);
        departures.breakOff(request);
    }

    /** Whether an Accept header is one of the formats, or allows all. */
    static boolean isOffered(String accept) {
        return accept.equals("*/*")
                || OFFERED.stream().anyMatch(each -> each.toString().equals(accept));
    }

    /**
     * The format that the caller wants most and that is possible; if none is, the one that it wants most.
     *
     * @throws ProblemException not-acceptable if it takes none
     */
    private static MediaType wanted(HttpServletRequest request, Predicate<MediaType> isPossible) {
        @Nullable String accept = request.getHeader(HttpHeaders.ACCEPT);
        List<MediaType> taken = accept == null ? ALL : MediaType.parseMediaTypes(accept);
        if (taken.size() > 1) {
            MimeTypeUtils.sortBySpecificity(taken);
        }
        Map<MediaType, MediaType> ranges = new HashMap<>(); // once for each: a caller may name thousands
        for (MediaType offered : OFFERED) {
            rangeOf(offered, taken).ifPresent(range -> ranges.put(offered, range));
        }
        @Nullable MediaType first = null;
        for (MediaType each : taken) {
            for (MediaType offered : OFFERED) {
                if (each.getQualityValue() > 0 && each.equals(ranges.get(offered))) {
                    if (isPossible.test(offered)) {
                        return offered;
                    }
                    first = first == null ? offered : first;
                }
            }
        }
        if (first == null) { // Spring has refused what is not offered, but not what is taken with q=0
            throw ProblemException.of(ProblemType.NOT_ACCEPTABLE, "Acceptable representations: " + OFFERED + ".");
        }
        return first;
    }

    /** The range that says how much an offered type is wanted: the most specific that includes it (RFC 9110, section 12.5.1). */
    private static Optional<MediaType> rangeOf(MediaType offered, List<MediaType> taken) {
        return taken.stream()
                .filter(each -> each.includes(offered))
                .min(Comparator.comparing(MediaType::isWildcardType).thenComparing(MediaType::isWildcardSubtype));
    }

    private AnswerFormat format(MediaType type, Sink out, boolean several) {
        JsonRecords records = new JsonRecords(out, json);
        return switch (type.toString()) {
            case CSV -> new CsvFormat(out);
            case ARROW -> new ArrowFormat(out, arrow.newChildAllocator("answer", 0, arrow.getLimit()));
            case JSON -> new JsonFormat(out, records);
            default -> new NdjsonFormat(out, records, several);
        };
    }

    /** The way of an answer to its caller. */
    private final class Way implements Sink.Way {

        private final MediaType type;
        private final HttpServletResponse response;
        private final SqlTimes times;
        private long held;

        Way(MediaType type, HttpServletResponse response, SqlTimes times) {
            this.type = type;
            this.response = response;
            this.times = times;
        }

        @Override
        public OutputStream open() throws IOException {
            times.firstByte();
            response.setContentType(type.toString().equals(CSV) ? CSV + ";charset=UTF-8" : type.toString());
            response.setHeader("Cache-Control", "no-store");
            return response.getOutputStream();
        }

        @Override
        public void grown(int bytes) {
            if (bytes > mostWhole) {
                throw ProblemException.of(
                        ProblemType.PAYLOAD_TOO_LARGE,
                        "As one JSON object the answer may have " + mostWhole
                                + " bytes (headgate.sql.whole). Ask for application/x-ndjson, which has no limit.");
            }
            long more = bytes - held;
            if (more > 0) {
                memory.hold(2 * more, "its answer");
                held = bytes;
            }
        }
    }
}
