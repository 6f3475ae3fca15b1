package dev.headgate.server.sql;

import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.limits.Departures;
import dev.headgate.server.limits.RequestMemory;
import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.server.problems.Refuses;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.validation.Valid;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.List;
import org.springframework.http.MediaType;
import org.springframework.util.MimeTypeUtils;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.json.JsonMapper;

/** Executes statements and streams their rows. */
@RestController
@RequestMapping("/api/v1/domains/{domain}/sql")
@Tag(name = "sql")
class SqlController {

    private static final String NDJSON = "application/x-ndjson";
    private static final String CSV = "text/csv";
    private static final String JSON = MediaType.APPLICATION_JSON_VALUE;

    /** The first is the default. */
    private static final List<MediaType> OFFERED =
            List.of(MediaType.parseMediaType(NDJSON), MediaType.APPLICATION_JSON, MediaType.parseMediaType(CSV));

    private final Sql sql;
    private final SqlMetrics metrics;
    private final Departures departures;
    private final RequestMemory memory;
    private final JsonMapper json;
    private final long mostWhole;

    SqlController(
            Sql sql,
            SqlMetrics metrics,
            Departures departures,
            RequestMemory memory,
            JsonMapper json,
            HeadgateProperties properties) {
        this.sql = sql;
        this.metrics = metrics;
        this.departures = departures;
        this.memory = memory;
        this.json = json;
        this.mostWhole = properties.sql().whole().toBytes();
    }

    @PostMapping(
            consumes = JSON,
            produces = {NDJSON, JSON, CSV})
    @ApiResponse(
            responseCode = "200",
            description = "The rows, as they arrive. docs/sql.md describes the records.",
            content = {
                @Content(mediaType = NDJSON, schema = @Schema(type = "string")),
                @Content(mediaType = JSON, schema = @Schema(type = "object")),
                @Content(mediaType = CSV, schema = @Schema(type = "string"))
            })
    @Refuses({
        ProblemType.SQL_WRONG,
        ProblemType.SQL_FORBIDDEN,
        ProblemType.SQL_MISSING,
        ProblemType.SQL_READ_ONLY,
        ProblemType.SQL_CONFLICT,
        ProblemType.SQL_BROKEN,
        ProblemType.SQL_UNAVAILABLE,
        ProblemType.SQL_TIMED_OUT,
        ProblemType.EXHAUSTED
    })
    void executeSql(
            @PathVariable String domain,
            @Valid @RequestBody SqlRequest body,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        SqlTimes times = new SqlTimes();
        MediaType type = wanted(request);
        boolean several = body.statements() != null;
        if (several && type.toString().equals(CSV)) {
            throw ProblemException.of(
                    ProblemType.INVALID_REQUEST,
                    "CSV has room for one answer.",
                    Fault.at("/statements", "cannot be answered as CSV", "sql, or another Accept"));
        }
        try (SqlRun run = sql.begin(domain, body, times)) {
            Sink out = new Sink(new Way(type, response, times), type.equals(MediaType.APPLICATION_JSON));
            run.write(format(type, out, several), out);
            if (!out.isOpen()) {
                response.setContentLength(out.size());
            }
            out.end();
        } catch (SqlRun.Failed failed) {
            throw SqlStates.problem(failed.why());
        } catch (SqlRun.BrokenOff | UncheckedIOException e) {
            departures.breakOff(request);
        } finally {
            metrics.record(domain, times);
        }
    }

    private static MediaType wanted(HttpServletRequest request) {
        String accept = request.getHeader("Accept");
        if (accept == null) {
            return OFFERED.getFirst();
        }
        List<MediaType> accepted = MediaType.parseMediaTypes(accept);
        MimeTypeUtils.sortBySpecificity(accepted);
        for (MediaType each : accepted) {
            for (MediaType offered : OFFERED) {
                if (each.includes(offered)) {
                    return offered;
                }
            }
        }
        return OFFERED.getFirst(); // Spring has refused what is not offered
    }

    private AnswerFormat format(MediaType type, Sink out, boolean several) {
        JsonRecords records = new JsonRecords(out, json);
        return switch (type.toString()) {
            case CSV -> new CsvFormat(out);
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
