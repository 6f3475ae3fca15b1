package dev.headgate.server.sql;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.headgate.server.api.Cursors;
import dev.headgate.server.api.Page;
import dev.headgate.server.domains.Domains;
import dev.headgate.server.limits.Departures;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.server.problems.Refuses;
import io.swagger.v3.oas.annotations.headers.Header;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import io.swagger.v3.oas.annotations.tags.Tag;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.validation.Valid;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.hibernate.validator.constraints.Range;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.json.JsonMapper;

/** Transactions over several requests. */
@RestController
@RequestMapping("/api/v1/domains/{domain}/sql/transactions")
@Tag(name = "sql")
class TransactionController {

    private static final Cursors<String> BY_ID = Cursors.ofNames("sql-transactions");
    private static final int MOST_IDLE_SECONDS = 300;
    private static final int IDLE_SECONDS = 30;

    private final Transactions transactions;
    private final Sql sql;
    private final SqlAnswers answers;
    private final Domains domains;
    private final Departures departures;
    private final JsonMapper json;

    TransactionController(
            Transactions transactions,
            Sql sql,
            SqlAnswers answers,
            Domains domains,
            Departures departures,
            JsonMapper json) {
        this.transactions = transactions;
        this.sql = sql;
        this.answers = answers;
        this.domains = domains;
        this.departures = departures;
        this.json = json;
    }

    /** The isolation levels of PostgreSQL. */
    enum Isolation {
        @JsonProperty("read committed")
        READ_COMMITTED,
        @JsonProperty("repeatable read")
        REPEATABLE_READ,
        @JsonProperty("serializable")
        SERIALIZABLE
    }

    /**
     * A transaction to begin.
     *
     * @param isolation the default is the server's
     * @param idleSeconds how long it may be idle before it is rolled back
     */
    @Schema(name = "SqlTransactionCreate")
    record TransactionCreateRequest(
            @Nullable Isolation isolation,
            @Nullable Boolean readOnly,

            @Range(min = 1, max = MOST_IDLE_SECONDS) @Schema(defaultValue = "" + IDLE_SECONDS) @Nullable
            Integer idleSeconds) {

        String command() {
            return "BEGIN"
                    + (isolation == null
                            ? ""
                            : " ISOLATION LEVEL " + isolation.name().replace('_', ' '));
        }
    }

    /**
     * An open transaction. It holds a connection.
     *
     * @param requests the requests so far
     */
    @Schema(name = "SqlTransaction")
    record TransactionJson(String id, String domain, Instant began, long idleSeconds, int requests) {
        static TransactionJson of(Transactions.Transaction transaction) {
            return new TransactionJson(
                    transaction.id(),
                    transaction.domain(),
                    transaction.began(),
                    transaction.idle().toSeconds(),
                    transaction.requests());
        }
    }

    /** @param nextCursor null on the last page */
    @Schema(name = "SqlTransactionList")
    record TransactionsList(
            List<TransactionJson> items, @Nullable String nextCursor) {}

    @GetMapping
    TransactionsList listSqlTransactions(
            @PathVariable String domain,
            @RequestParam(defaultValue = Page.LIMIT) @Range(min = 1, max = Page.MOST) int limit,
            @RequestParam(required = false) @Nullable String cursor) {
        domains.pool(domain);
        Page<TransactionJson> page = BY_ID.paging(limit, cursor)
                .pick(transactions.of(domain), Transactions.Transaction::id, Comparator.naturalOrder())
                .map(TransactionJson::of);
        return new TransactionsList(page.items(), page.nextCursor());
    }

    @PostMapping
    @ResponseStatus(HttpStatus.CREATED)
    @ApiResponse(responseCode = "201", useReturnTypeSchema = true, headers = @Header(name = "Location"))
    @RefusesSql
    @Nullable
    ResponseEntity<TransactionJson> beginSqlTransaction(
            @PathVariable String domain,
            @Valid @RequestBody TransactionCreateRequest body,
            HttpServletRequest request,
            HttpServletResponse response) {
        int idle = Objects.requireNonNullElse(body.idleSeconds(), IDLE_SECONDS);
        try {
            Transactions.Transaction begun = transactions.begin(
                    domain, body.command(), Boolean.TRUE.equals(body.readOnly()), Duration.ofSeconds(idle));
            try {
                tell(begun, response);
            } catch (IOException e) { // nobody knows of it, so nobody would end it
                transactions.rollBack(begun);
                departures.breakOff(request);
            }
        } catch (SqlRun.Failed failed) {
            throw SqlStates.problem(failed.why());
        } catch (SqlRun.BrokenOff gone) {
            departures.breakOff(request);
        }
        return null; // it is written
    }

    private void tell(Transactions.Transaction begun, HttpServletResponse response) throws IOException {
        byte[] text = json.writeValueAsBytes(TransactionJson.of(begun));
        response.setStatus(HttpServletResponse.SC_CREATED);
        response.setHeader(
                HttpHeaders.LOCATION, "/api/v1/domains/" + begun.domain() + "/sql/transactions/" + begun.id());
        response.setContentType(SqlAnswers.JSON);
        response.setContentLength(text.length);
        response.getOutputStream().write(text);
        response.flushBuffer();
    }

    /** Executes statements within the transaction. One that fails fails the transaction. */
    @PostMapping(
            path = "/{id}",
            consumes = SqlAnswers.JSON,
            produces = {SqlAnswers.NDJSON, SqlAnswers.JSON, SqlAnswers.CSV, SqlAnswers.ARROW})
    @AnswersRows
    @RefusesSql
    void executeInSqlTransaction(
            @PathVariable String domain,
            @PathVariable String id,
            @Valid @RequestBody SqlRequest body,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        SqlTimes times = new SqlTimes();
        this.transactions.<IOException>use(domain, id, transaction -> {
            transactions.requireAllowed(transaction);
            answers.write(body, request, response, times, () -> sql.goOn(transaction, body, times));
        });
    }

    /** Ends the transaction and keeps its changes. */
    @PostMapping("/{id}/commit")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    @RefusesSql
    void commitSqlTransaction(@PathVariable String domain, @PathVariable String id) {
        transactions.use(domain, id, transaction -> {
            try {
                transactions.commit(transaction);
            } catch (SqlRun.Failed failed) {
                throw failed.why().sqlState().equals("25P02")
                        ? ProblemException.sql(ProblemType.SQL_CONFLICT, SqlStates.json(failed.why()), null)
                        : SqlStates.problem(failed.why());
            }
        });
    }

    /** Ends the transaction without its changes. */
    @DeleteMapping("/{id}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    @Refuses(ProblemType.CONFLICT)
    void rollBackSqlTransaction(@PathVariable String domain, @PathVariable String id) {
        transactions.use(domain, id, transactions::rollBack);
    }
}
