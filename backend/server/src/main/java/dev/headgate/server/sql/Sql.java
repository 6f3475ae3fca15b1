package dev.headgate.server.sql;

import dev.headgate.engine.Database;
import dev.headgate.engine.memory.MemoryAccount.Share;
import dev.headgate.protocol.FirstWords;
import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.access.Access;
import dev.headgate.server.domains.DomainSqlJson;
import dev.headgate.server.limits.Departures;
import dev.headgate.server.limits.RequestMemory;
import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.Faults;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.sql.Bounds;
import dev.headgate.sql.Caller;
import dev.headgate.sql.Query;
import dev.headgate.sql.SqlEngine;
import dev.headgate.sql.SqlFailure;
import dev.headgate.sql.SqlSession;
import dev.headgate.wire.Directory;
import dev.headgate.wire.RelayLoops;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.LongPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Executes the statements of requests in sessions of their own, on the pools of domains. Safe for any thread. */
@Service
public class Sql {

    /** Would end the transaction around it, as most forms of ROLLBACK and one of PREPARE do. */
    private static final Set<String> ENDING = Set.of("BEGIN", "START", "COMMIT", "END", "ABORT");

    /** Could make a read-only transaction writable before its first query. */
    private static final Set<String> SETTING = Set.of("SET", "RESET");

    /** How long after Headgate's own deadline the server ends a transaction. */
    private static final long TRANSACTION_GRACE_MS = 5_000;

    private static final String STATEMENTS = "its statements and their parameters";

    private final SqlEngine engine;
    private final Directory directory;
    private final Departures departures;
    private final Access access;
    private final RequestMemory memory;
    private final SqlAudit audit;
    private final DomainRules rules;
    private final SqlMetrics metrics;
    private final HeadgateProperties.Sql limits;

    Sql(
            RelayLoops loops,
            Directory directory,
            Departures departures,
            Access access,
            RequestMemory memory,
            SqlAudit audit,
            DomainRules rules,
            SqlMetrics metrics,
            HeadgateProperties properties) {
        this.audit = audit;
        this.rules = rules;
        this.metrics = metrics;
        this.engine = new SqlEngine(loops, properties.wire().alwaysReset());
        this.directory = directory;
        this.departures = departures;
        this.access = access;
        this.memory = memory;
        this.limits = properties.sql();
    }

    /**
     * Begins to execute a request's statements. Waits for their memory alone. The caller must close the run.
     *
     * @throws ProblemException not-found; invalid-request with every fault; payload-too-large or unavailable for want of memory
     */
    SqlRun begin(String domain, SqlRequest request, SqlTimes times) {
        return begin(domain, batch(request), request.timeoutMs(), times);
    }

    /** The same for a caller that does not wait for the answer. Does not block; the run holds its memory until it is closed. */
    SqlRun beginAlone(String domain, SqlRequest request, SqlTimes times) {
        Batch batch = batch(request);
        Share held = memory.open(batch.bytes(), STATEMENTS);
        try {
            return begin(domain, batch, request.timeoutMs(), () -> () -> false, times, held::tryReserve, held::close);
        } catch (RuntimeException e) {
            held.close();
            throw e;
        }
    }

    /**
     * The same for a batch.
     *
     * @param timeoutMs the most time; null for what the domain and the service allow. The server gets it, too
     */
    SqlRun begin(String domain, Batch batch, @Nullable Integer timeoutMs, SqlTimes times) {
        memory.holdInAll(batch.bytes(), STATEMENTS);
        return begin(domain, batch, timeoutMs, departures::ofCaller, times, memory::tryHold, () -> {});
    }

    private SqlRun begin(
            String domain,
            Batch batch,
            @Nullable Integer timeoutMs,
            Supplier<BooleanSupplier> departure,
            SqlTimes times,
            LongPredicate room,
            Runnable closed) {
        boolean reads = readsOnly(domain);
        if (reads) {
            refuseLeaving(batch.statements());
        }
        SqlSession session = open(domain, "", timeoutMs, limits.silence());
        batch.statements().forEach(query -> audit.executing(domain, query));
        return run(domain, session, false, reads ? batch.readOnly() : batch, departure, times, room, closed);
    }

    /** @param closed is run when the run is closed, after its times are recorded */
    private SqlRun run(
            String domain,
            SqlSession session,
            boolean keeps,
            Batch batch,
            Supplier<BooleanSupplier> departure,
            SqlTimes times,
            LongPredicate room,
            Runnable closed) {
        Runnable ended = () -> {
            metrics.record(domain, times);
            closed.run();
        };
        return new SqlRun(session, keeps, batch, departure, times, room, ended);
    }

    /**
     * Whether this thread's caller may only read there.
     *
     * @throws ProblemException forbidden if it may not even do that
     */
    boolean readsOnly(String domain) {
        return rules.of(domain).access().equals("read") || access.actor().isReader();
    }

    private static void refuseLeaving(List<Query> queries) {
        Faults faults = new Faults();
        for (int i = 0; i < queries.size(); i++) {
            refuse(queries.size() == 1 ? "" : "/statements/" + i, queries.get(i).sql(), true, false, faults);
        }
        if (!faults.isEmpty()) {
            throw ProblemException.of(ProblemType.INVALID_REQUEST, faults);
        }
    }

    /**
     * Opens a session for this thread's caller.
     *
     * @param transaction the short name of the transaction over several requests that it is; empty if it is none
     * @param timeoutMs the most time; null for what the domain and the service allow. The server gets it, too
     * @param silence how long it may hold a connection and send nothing, or read nothing
     * @throws ProblemException not-found
     */
    SqlSession open(String domain, String transaction, @Nullable Integer timeoutMs, Duration silence) {
        Directory.Domain known =
                directory.domain(domain).orElseThrow(() -> ProblemException.notFound("domain", domain));
        DomainSqlJson rule = rules.of(domain);
        long asked = timeoutMs == null ? 0 : timeoutMs;
        long most = least(least(asked, rule.timeoutMs()), limits.timeout().toMillis());
        Caller caller = Caller.named("sql " + access.actor().name())
                .from(access.actor().name(), access.remote())
                .withSilence(silence)
                .with(new Bounds((int) limits.row().toBytes(), rule.maxRows(), rule.maxBytes()))
                .withMostWaiting(SqlRequest.MOST_STATEMENTS)
                .with(timeouts(known.pool().database(), most))
                .with(Caller.Order.FINISH_FIRST)
                .endingAfter(
                        Duration.ofMillis(most), SqlFailure.of("57014", "the deadline of " + most + " ms has passed"));
        return engine.open(known, transaction.isEmpty() ? caller : caller.inTransaction(transaction));
    }

    /**
     * The bounds that the server keeps as well, should Headgate be gone. That of a transaction comes last: it ends the connection, and
     * the others say what has passed.
     */
    private static Map<String, String> timeouts(Database database, long mostMs) {
        String statement = milliseconds(mostMs);
        return database.facts().filter(server -> server.majorVersion() >= 17).isPresent()
                ? Map.of(
                        "statement_timeout",
                        statement,
                        "transaction_timeout",
                        milliseconds(mostMs + TRANSACTION_GRACE_MS))
                : Map.of("statement_timeout", statement);
    }

    private static String milliseconds(long time) {
        return String.valueOf(Math.min(time, Integer.MAX_VALUE));
    }

    /** The smaller of two limits, where zero is none. */
    private static long least(long one, long other) {
        return one == 0 ? other : other == 0 ? one : Math.min(one, other);
    }

    /**
     * Goes on with a transaction.
     *
     * @throws ProblemException invalid-request with every fault
     */
    SqlRun goOn(Transactions.Transaction transaction, SqlRequest request, SqlTimes times) {
        String domain = transaction.domain();
        Faults faults = new Faults();
        String begun = "cannot be there: the transaction was begun without it";
        unwanted("/transaction", request.transaction(), begun, faults);
        unwanted("/readOnly", request.readOnly(), begun, faults);
        unwanted("/timeoutMs", request.timeoutMs(), begun, faults);
        List<Query> queries = queries(request, false, true, faults);
        if (!faults.isEmpty()) {
            throw ProblemException.of(ProblemType.INVALID_REQUEST, faults);
        }
        if (transaction.isReadOnly()) {
            refuseLeaving(queries);
        }
        Batch batch = Batch.within(queries);
        memory.holdInAll(batch.bytes(), STATEMENTS);
        queries.forEach(query -> audit.executing(domain, query));
        return run(domain, transaction.session(), true, batch, departures::ofCaller, times, memory::tryHold, () -> {});
    }

    /**
     * Begins statements on several domains.
     *
     * @throws ProblemException invalid-request with every fault; nothing has begun then
     */
    Scatter scatter(ScatterRequest request, SqlTimes times) {
        Faults faults = new Faults();
        List<ScatterRequest.@Nullable BranchRequest> branches =
                Objects.requireNonNullElse(request.branches(), List.of());
        if (branches.isEmpty() || branches.size() > ScatterRequest.MOST_BRANCHES) {
            faults.add(
                    Fault.at("/branches", "must be 1 to " + ScatterRequest.MOST_BRANCHES + ", was " + branches.size()));
        }
        if (Boolean.TRUE.equals(request.descending()) && request.orderBy() == null) {
            faults.add(Fault.at("/descending", "turns the order of orderBy round, which is missing"));
        }
        List<Query> queries = new ArrayList<>();
        for (int i = 0; i < branches.size(); i++) {
            String at = "/branches/" + i;
            ScatterRequest.BranchRequest branch = branches.get(i);
            if (branch == null
                    || branch.domain() == null
                    || directory.domain(branch.domain()).isEmpty()) {
                faults.add(Fault.at(at + "/domain", "is not a domain"));
            } else if (branch.sql() == null) {
                faults.add(Fault.at(at + "/sql", "is missing", "a statement"));
            } else {
                queries.add(query(
                        at, new SqlRequest.StatementRequest(branch.sql(), branch.params(), branch.types()), 0, faults));
            }
        }
        if (!faults.isEmpty()) {
            throw ProblemException.of(ProblemType.INVALID_REQUEST, faults);
        }
        List<Batch> batches = new ArrayList<>();
        for (int i = 0; i < queries.size(); i++) {
            Query query = queries.get(i);
            Batch batch = Batch.independent(List.of(query));
            boolean reads = readsOnly(Objects.requireNonNull(branches.get(i)).domain());
            if (reads) {
                refuse("/branches/" + i, query.sql(), true, false, faults);
            }
            batches.add(reads ? batch.readOnly() : batch);
        }
        if (!faults.isEmpty()) {
            throw ProblemException.of(ProblemType.INVALID_REQUEST, faults);
        }
        memory.holdInAll(batches.stream().mapToLong(Batch::bytes).sum(), STATEMENTS);
        Scatter scatter = new Scatter(
                request.onError() == ScatterRequest.OnError.fail,
                request.orderBy(),
                Boolean.TRUE.equals(request.descending()),
                departures::ofCaller,
                times,
                domain -> metrics.record(domain, times));
        try {
            for (int i = 0; i < queries.size(); i++) {
                String domain = Objects.requireNonNull(branches.get(i)).domain();
                audit.executing(domain, queries.get(i));
                scatter.add(domain, open(domain, "", request.deadlineMs(), limits.silence()), batches.get(i));
            }
            return scatter;
        } catch (RuntimeException e) { // such as a domain that was deleted just now
            scatter.close();
            throw e;
        }
    }

    private static Batch batch(SqlRequest request) {
        boolean readOnly = Boolean.TRUE.equals(request.readOnly());
        boolean together = Boolean.TRUE.equals(request.transaction());
        Faults faults = new Faults();
        List<Query> queries = queries(request, readOnly, together, faults);
        if (!faults.isEmpty()) {
            throw ProblemException.of(ProblemType.INVALID_REQUEST, faults);
        }
        Batch batch = together ? Batch.transaction("BEGIN", queries) : Batch.independent(queries);
        return readOnly ? batch.readOnly() : batch;
    }

    private static List<Query> queries(SqlRequest request, boolean readOnly, boolean together, Faults faults) {
        int mostRows = Objects.requireNonNullElse(request.maxRows(), 0);
        List<SqlRequest.StatementRequest> several = request.statements();
        if (several == null) {
            String sql = request.sql();
            if (sql == null) {
                faults.add(Fault.at("/sql", "is missing", "a statement, or statements instead"));
                return List.of();
            }
            Query query = query(
                    "", new SqlRequest.StatementRequest(sql, request.params(), request.types()), mostRows, faults);
            refuse("", sql, readOnly, together, faults);
            return List.of(query);
        }
        String elsewhere = "cannot be there with statements";
        unwanted("/sql", request.sql(), elsewhere, faults);
        unwanted("/params", request.params(), elsewhere, faults);
        unwanted("/types", request.types(), elsewhere, faults);
        if (several.isEmpty() || several.size() > SqlRequest.MOST_STATEMENTS) {
            faults.add(
                    Fault.at("/statements", "must be 1 to " + SqlRequest.MOST_STATEMENTS + ", was " + several.size()));
            return List.of();
        }
        List<Query> queries = new ArrayList<>();
        for (int i = 0; i < several.size(); i++) {
            String at = "/statements/" + i;
            SqlRequest.@Nullable StatementRequest one = several.get(i);
            if (one == null || one.sql() == null) {
                faults.add(Fault.at(at + "/sql", "is missing", "a statement"));
                continue;
            }
            queries.add(query(at, one, mostRows, faults));
            refuse(at, one.sql(), readOnly, together, faults);
        }
        return queries;
    }

    private static void unwanted(String pointer, @Nullable Object value, String why, Faults faults) {
        if (value != null) {
            faults.add(Fault.at(pointer, why));
        }
    }

    private static Query query(String at, SqlRequest.StatementRequest statement, int mostRows, Faults faults) {
        List<Integer> types = new ArrayList<>();
        List<@Nullable String> names = Objects.requireNonNullElse(statement.types(), List.of());
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i);
            Optional<Integer> id = name == null ? Optional.of(0) : Types.id(name);
            if (id.isEmpty()) {
                faults.add(Fault.at(
                        at + "/types/" + i,
                        "is not a type of PostgreSQL: '" + name + "'",
                        "a name such as int4, text[] or uuid, an object id, or null"));
            }
            types.add(id.orElse(0));
        }
        if (types.contains(0) && FirstWords.isNoStatement(statement.sql())) { // the server would fail (XX000)
            faults.add(Fault.at(at + "/types", "cannot hold null: there is nothing to infer a type from"));
        }
        List<@Nullable String> values = new ArrayList<>();
        for (Parameter parameter : Objects.requireNonNullElse(statement.params(), List.<Parameter>of())) {
            values.add(parameter.text());
        }
        try {
            return new Query(statement.sql(), values, types, mostRows);
        } catch (IllegalArgumentException e) {
            unsendable(at + "/sql", statement.sql(), faults);
            for (int i = 0; i < values.size(); i++) {
                unsendable(at + "/params/" + i, values.get(i), faults);
            }
            tooMany(at + "/params", values, faults);
            tooMany(at + "/types", types, faults);
            return Query.of("");
        }
    }

    private static void unsendable(String pointer, @Nullable String text, Faults faults) {
        Query.unsendable(text).ifPresent(why -> faults.add(Fault.at(pointer, "cannot be sent: " + why)));
    }

    private static void tooMany(String pointer, List<?> list, Faults faults) {
        if (list.size() > Query.MOST_PARAMETERS) {
            faults.add(
                    Fault.at(pointer, "must have at most " + Query.MOST_PARAMETERS + " entries, has " + list.size()));
        }
    }

    /** Refuses a statement that would leave the transaction that Headgate begins for it. */
    private static void refuse(String at, String sql, boolean readOnly, boolean together, Faults faults) {
        if (!readOnly && !together) {
            return;
        }
        leaving(sql, !readOnly)
                .ifPresent(command -> faults.add(Fault.at(
                        at + "/sql",
                        "cannot be " + command + ": Headgate begins and ends this " + (readOnly ? "read-only " : "")
                                + "transaction")));
    }

    /**
     * The command of a statement that would leave the transaction around it. Empty if it does not.
     *
     * @param writes whether the transaction may write; if it may not, a statement that sets something could change that
     */
    static Optional<String> leaving(String sql, boolean writes) {
        List<String> words = FirstWords.of(sql, 3);
        String first = words.isEmpty() ? "" : words.getFirst();
        boolean leaves = switch (first) {
            case "ROLLBACK" -> !words.contains("TO");
            case "PREPARE" -> words.contains("TRANSACTION"); // else it prepares a statement
            default -> ENDING.contains(first);
        };
        return leaves || (!writes && SETTING.contains(first)) ? Optional.of(first) : Optional.empty();
    }
}
