package dev.headgate.server.sql;

import dev.headgate.server.limits.Departures;
import dev.headgate.server.limits.RequestMemory;
import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.JsonFaults;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.sql.Query;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * What {@code @neondatabase/serverless} speaks over HTTP, so that programs which use it, directly or under drizzle or kysely, work
 * with the domain's pool unchanged but for the address. docs/sql.md describes it.
 */
@RestController
class NeonController {

    static final String PATH = "/sql";

    static final String ISOLATION = "Neon-Batch-Isolation-Level";
    static final String READ_ONLY = "Neon-Batch-Read-Only";
    static final String DEFERRABLE = "Neon-Batch-Deferrable";
    static final String RAW_TEXT = "Neon-Raw-Text-Output";
    static final String ARRAY_MODE = "Neon-Array-Mode";

    /** The driver reads an answer as a whole, so the status of a short one can wait for its end. */
    private static final int HELD_BACK = 64 * 1024;

    private static final String MISSING = "a query is missing";

    private static final Map<String, String> LEVELS = Map.of(
            "ReadUncommitted", "READ UNCOMMITTED",
            "ReadCommitted", "READ COMMITTED",
            "RepeatableRead", "REPEATABLE READ",
            "Serializable", "SERIALIZABLE");

    private final Sql sql;
    private final Departures departures;
    private final RequestMemory memory;
    private final NeonErrors errors;
    private final JsonMapper json;

    NeonController(Sql sql, Departures departures, RequestMemory memory, NeonErrors errors, JsonMapper json) {
        this.sql = sql;
        this.departures = departures;
        this.memory = memory;
        this.errors = errors;
        this.json = json.rebuild()
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .build();
    }

    /** What the rules for every request refuse before it is executed. */
    @ExceptionHandler
    void refused(ProblemException refused, HttpServletResponse response) throws IOException {
        errors.write(response, refused);
    }

    @PostMapping(path = PATH, consumes = MediaType.ALL_VALUE) // as without MVC: PlainRequests
    void execute(HttpServletRequest request, HttpServletResponse response) throws IOException {
        SqlTimes times = new SqlTimes();
        String domain = NeonLogin.domain(request);
        try {
            @Nullable NeonRequest body = json.readValue(request.getInputStream(), NeonRequest.class);
            if (body == null) { // the JSON text is null
                throw new IllegalArgumentException(MISSING);
            }
            boolean several = body.queries() != null;
            List<NeonRequest> statements = several ? Objects.requireNonNull(body.queries()) : List.of(body);
            Batch batch = batch(statements, several, request, response);
            boolean arrays = isTrue(request, ARRAY_MODE);
            try (SqlRun run = sql.begin(domain, batch, null, times)) {
                Sink out = new Sink(new Way(response, times), HELD_BACK, memory::tryHold);
                NeonFormat format = new NeonFormat(
                        out,
                        several,
                        isTrue(request, RAW_TEXT),
                        statements.stream()
                                .map(each -> Objects.requireNonNullElse(each.arrayMode(), arrays))
                                .toList());
                boolean _ = run.write(format, out);
                if (!out.isOpen()) {
                    response.setContentLength(out.size());
                }
                out.end();
            }
        } catch (SqlRun.Failed failed) {
            errors.write(response, failed.why());
        } catch (JacksonException | IllegalArgumentException e) {
            errors.write(
                    response,
                    HttpServletResponse.SC_BAD_REQUEST,
                    "22023",
                    e instanceof JacksonException unreadable
                            ? unreadable(JsonFaults.of(unreadable))
                            : String.valueOf(e.getMessage()));
        } catch (ProblemException refused) {
            errors.write(response, refused);
        } catch (SqlRun.BrokenOff | UncheckedIOException e) {
            departures.breakOff(request);
        }
    }

    private static String unreadable(Fault fault) {
        return "the body cannot be read: " + (fault.pointer().isEmpty() ? "it" : fault.pointer()) + " "
                + fault.message();
    }

    /** @throws IllegalArgumentException with the sentence for the caller */
    private static Batch batch(
            List<NeonRequest> statements, boolean several, HttpServletRequest request, HttpServletResponse response) {
        List<Query> queries = new ArrayList<>();
        for (NeonRequest statement : statements) {
            if (statement == null || statement.query() == null) {
                throw new IllegalArgumentException(MISSING);
            }
            List<@Nullable String> values = new ArrayList<>();
            Objects.requireNonNullElse(statement.params(), List.<Parameter>of())
                    .forEach(parameter -> values.add(parameter.text()));
            queries.add(new Query(statement.query(), values, List.of(), 0));
        }
        if (!several) {
            return Batch.independent(queries);
        }
        if (queries.size() > SqlRequest.MOST_STATEMENTS) {
            throw new IllegalArgumentException("a batch has at most " + SqlRequest.MOST_STATEMENTS + " queries");
        }
        for (Query query : queries) {
            Sql.leaving(query.sql(), true).ifPresent(command -> {
                throw new IllegalArgumentException(
                        "a batch is one transaction, so none of its queries can be " + command);
            });
        }
        return Batch.transaction(begin(request, response), queries);
    }

    private static String begin(HttpServletRequest request, HttpServletResponse response) {
        StringBuilder begin = new StringBuilder("BEGIN");
        @Nullable String level = request.getHeader(ISOLATION);
        if (level != null) {
            if (!LEVELS.containsKey(level)) {
                throw new IllegalArgumentException(
                        ISOLATION + " must be ReadUncommitted, ReadCommitted, RepeatableRead or" + " Serializable");
            }
            begin.append(" ISOLATION LEVEL ").append(LEVELS.get(level));
            response.setHeader(ISOLATION, level);
        }
        if (request.getHeader(READ_ONLY) != null) {
            begin.append(isTrue(request, READ_ONLY) ? " READ ONLY" : " READ WRITE");
            response.setHeader(READ_ONLY, String.valueOf(isTrue(request, READ_ONLY)));
        }
        if (request.getHeader(DEFERRABLE) != null) {
            begin.append(isTrue(request, DEFERRABLE) ? " DEFERRABLE" : " NOT DEFERRABLE");
            response.setHeader(DEFERRABLE, String.valueOf(isTrue(request, DEFERRABLE)));
        }
        return begin.toString();
    }

    private static boolean isTrue(HttpServletRequest request, String header) {
        return "true".equals(request.getHeader(header));
    }

    /** The way of an answer to its caller. */
    private record Way(HttpServletResponse response, SqlTimes times) implements Sink.Way {

        @Override
        public OutputStream open() throws IOException {
            times.firstByte();
            response.setContentType(MediaType.APPLICATION_JSON_VALUE);
            response.setHeader("Cache-Control", "no-store");
            return response.getOutputStream();
        }
    }
}
