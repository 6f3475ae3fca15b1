package dev.headgate.server.sql;

import dev.headgate.server.problems.Fault;
import dev.headgate.server.problems.ProblemException;
import dev.headgate.server.problems.ProblemType;
import dev.headgate.sql.Answer;
import dev.headgate.sql.AnswerQueue;
import dev.headgate.sql.Column;
import dev.headgate.sql.Rows;
import dev.headgate.sql.SqlFailure;
import dev.headgate.sql.SqlSession;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Statements on several domains at once, and their answers as one: rows as they arrive, or merged by a column. Every branch has
 * a session of its own, so none waits for another, and a slow one holds back its own rows only. Belongs to the thread that
 * answers the request.
 */
final class Scatter implements AutoCloseable {

    private final List<Branch> branches = new ArrayList<>();
    private final AwaitedAnswers answers;
    private final boolean together;
    private final @Nullable String orderBy;
    private final boolean descending;
    private final SqlTimes times;
    private final Consumer<String> ended;

    /** One branch while it is executed. */
    private static final class Branch {
        private final String domain;
        private final SqlSession session;
        private final Batch.Round statement;
        private int place;
        private List<Column> columns = List.of();
        private int[] types = {};
        private @Nullable Rows rows;

        /** What its present row is merged by, and which of its rows that is, from 1. */
        private byte @Nullable [] key;

        private long row;
        private long count;
        private boolean ended;

        /** The server has executed the statement, and may still fail to commit it. */
        private Answer.@Nullable Done uncommitted;

        private @Nullable SqlFailure failure;
        private String connection = "";
        private long waitedNanos;

        Branch(String domain, SqlSession session, Batch.Round statement) {
            this.domain = domain;
            this.session = session;
            this.statement = statement;
        }

        /** Whether the present answer is to the BEGIN or COMMIT around the statement. */
        boolean isHidden() {
            return statement.isOwn(place);
        }
    }

    /**
     * @param together whether a failure of one ends all
     * @param orderBy null for rows as they arrive
     * @param ended is told each domain when the scatter is closed
     */
    Scatter(
            boolean together,
            @Nullable String orderBy,
            boolean descending,
            Supplier<BooleanSupplier> departure,
            SqlTimes times,
            Consumer<String> ended) {
        this.together = together;
        this.orderBy = orderBy;
        this.descending = descending;
        this.answers = new AwaitedAnswers(departure);
        this.times = times;
        this.ended = ended;
    }

    /** Adds a branch with one statement, which begins at once. */
    void add(String domain, SqlSession session, Batch statement) {
        Batch.Round round = statement.rounds().getFirst();
        branches.add(new Branch(domain, session, round));
        session.submit(round.queries(), answers.from(session));
    }

    /**
     * Writes records as they arrive: {"columns",...,"branch":0}, {"branch":0,"row":[...]}, {"done",...}, {"error",...}, and last
     * {"end"}.
     *
     * @throws SqlRun.Failed if all end with a failure before anything was sent
     */
    void write(JsonRecords records, Sink out) {
        try {
            if (orderBy == null) {
                interleave(records, out);
            } else {
                merge(orderBy, records, out);
            }
            end(out);
        } catch (SqlRun.Told failed) {
            // its last record is the failure
        }
    }

    private void interleave(JsonRecords records, Sink out) {
        for (int left = branches.size(); left > 0; ) {
            AnswerQueue.Arrival arrival = answers.next(AwaitedAnswers.ANY, out);
            Branch branch = branches.get(arrival.source());
            if (arrival.answer() instanceof Answer.Some some) {
                times.firstRow();
                out.release();
                Rows rows = some.rows();
                branch.count += rows.count();
                while (rows.next()) {
                    row(arrival.source(), rows, branch, records, out);
                }
            } else if (take(arrival, records, out)) {
                left--;
            }
        }
    }

    /** A merge of sorted sequences (Knuth, The Art of Computer Programming, volume 3, section 5.4.1), of few of them. */
    private void merge(String by, JsonRecords records, Sink out) {
        int[] key = new int[branches.size()];
        for (int i = 0; i < key.length; i++) {
            awaitColumns(i, by, records, out);
        }
        int first = -1;
        for (int i = 0; i < key.length; i++) {
            if (!branches.get(i).columns.isEmpty()) {
                key[i] = column(i, by, records, out);
                first = first < 0 ? i : first;
                requireSameKind(by, first, i, key, records, out);
            }
        }
        for (int i = 0; i < key.length; i++) {
            boolean _ = advance(i, key[i], records, out);
        }
        while (true) {
            int least = -1;
            for (int i = 0; i < key.length; i++) {
                if (branches.get(i).rows != null
                        && (least < 0 || order(i, key[i], branches.get(i).key, branches.get(least).key) < 0)) {
                    least = i;
                }
            }
            if (least < 0) {
                return;
            }
            Branch branch = branches.get(least);
            byte @Nullable [] before = branch.key;
            row(least, Objects.requireNonNull(branch.rows), branch, records, out);
            if (advance(least, key[least], records, out) && order(least, key[least], branch.key, before) < 0) {
                throw unsorted(by, least, records, out);
            }
        }
    }

    /** How two keys follow one another, by the type of a branch's column: all are of one kind. */
    private int order(int branch, int column, byte @Nullable [] one, byte @Nullable [] other) {
        int order = SortKey.compare(branches.get(branch).types[column], one, other);
        return descending ? -order : order;
    }

    private RuntimeException unsorted(String by, int source, JsonRecords records, Sink out) {
        long row = branches.get(source).row;
        return unordered(
                "Branch %d is not sorted by '%s': its row %d comes before its row %d. Add ORDER BY, for texts with COLLATE \"C\"."
                        .formatted(source, by, row, row - 1),
                Fault.at("/orderBy", "is not the order of branch " + source),
                records,
                out);
    }

    /** Waits until it is known what rows a branch has, or that it has none. Takes no row, and refuses rows without columns. */
    private void awaitColumns(int source, String by, JsonRecords records, Sink out) {
        Branch branch = branches.get(source);
        while (branch.columns.isEmpty() && !branch.ended) {
            AnswerQueue.Arrival arrival = answers.next(source, out);
            if (arrival.answer() instanceof Answer.Some) {
                throw noColumn(source, by, records, out);
            }
            boolean _ = take(arrival, records, out);
        }
    }

    /** Numbers are not in one order with texts. */
    private void requireSameKind(String by, int one, int other, int[] key, JsonRecords records, Sink out) {
        boolean number = SortKey.isNumber(branches.get(one).types[key[one]]);
        if (number != SortKey.isNumber(branches.get(other).types[key[other]])) {
            throw unordered(
                    "Column '%s' is %s in branch %d and %s in branch %d; cast it to one type."
                            .formatted(by, number ? "a number" : "no number", one, number ? "none" : "a number", other),
                    Fault.at("/orderBy", "is not of one kind in all branches"),
                    records,
                    out);
        }
    }

    /** The caller's mistake: a problem, or the last record if some have left. */
    private static RuntimeException unordered(String why, Fault fault, JsonRecords records, Sink out) {
        if (!out.isOpen()) {
            return ProblemException.of(ProblemType.INVALID_REQUEST, why, fault);
        }
        out.put('{');
        records.error(SqlFailure.of("42804", why));
        out.ascii("}\n");
        return new SqlRun.Told();
    }

    private int column(int branch, String by, JsonRecords records, Sink out) {
        List<Column> columns = branches.get(branch).columns;
        for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i).name().equals(by)) {
                return i;
            }
        }
        throw noColumn(branch, by, records, out);
    }

    private static RuntimeException noColumn(int branch, String by, JsonRecords records, Sink out) {
        return unordered(
                "Branch " + branch + " has no column '" + by + "' to order by.",
                Fault.at("/orderBy", "is not a column of branch " + branch),
                records,
                out);
    }

    /** Goes to the next row of a branch, and waits for it. False at its end. */
    private boolean advance(int source, int key, JsonRecords records, Sink out) {
        Branch branch = branches.get(source);
        Rows rows = branch.rows;
        if (rows == null || !rows.next()) {
            rows = nextRows(source, records, out);
            branch.rows = rows;
        }
        if (rows == null) {
            return false;
        }
        branch.key = SortKey.of(rows, key);
        branch.row++;
        return true;
    }

    /** The next rows of a branch, at the first of them; null at its end. */
    private @Nullable Rows nextRows(int source, JsonRecords records, Sink out) {
        Branch branch = branches.get(source);
        while (!branch.ended) {
            AnswerQueue.Arrival arrival = answers.next(source, out);
            if (arrival.answer() instanceof Answer.Some some) {
                times.firstRow();
                out.release();
                branch.count += some.rows().count();
                if (some.rows().next()) {
                    return some.rows();
                }
            } else {
                boolean _ = take(arrival, records, out);
            }
        }
        return null;
    }

    /** Takes an answer that is no row. @return whether the branch has ended */
    private boolean take(AnswerQueue.Arrival arrival, JsonRecords records, Sink out) {
        Branch branch = branches.get(arrival.source());
        switch (arrival.answer()) {
            case Answer.Columns _, Answer.Done _
            when branch.isHidden() -> branch.place += arrival.answer() instanceof Answer.Done ? 1 : 0;
            case Answer.Columns described -> {
                branch.columns = described.columns();
                branch.types = JsonRecords.types(described.columns());
                out.put('{');
                records.columns(described.columns());
                out.ascii(",\"branch\":" + arrival.source() + "}\n");
            }
            case Answer.Done done -> {
                branch.place++;
                branch.uncommitted = done;
            }
            case Answer.Failed failed -> {
                branch.uncommitted = null;
                branch.failure = failed.why();
                if (together && !out.isOpen()) {
                    throw new SqlRun.Failed(failed.why(), arrival.source());
                }
                out.put('{');
                records.error(failed.why());
                out.ascii(",\"branch\":" + arrival.source() + "}\n");
                if (together) {
                    throw new SqlRun.Told();
                }
            }
            case Answer.Ended ended -> {
                done(arrival.source(), records, out);
                releaseIfIndependent(out);
                branch.ended = true;
                branch.connection = ended.connection();
                branch.waitedNanos = ended.waitedNanos();
                branch.session.close();
            }
            case Answer.Some _ -> throw new IllegalStateException("rows are taken elsewhere");
        }
        return branch.ended;
    }

    private void done(int source, JsonRecords records, Sink out) {
        Branch branch = branches.get(source);
        Answer.Done done = branch.uncommitted;
        if (done != null) {
            long counted = Tags.rows(done.tag());
            branch.count = branch.count == 0 && counted > 0 ? counted : branch.count;
            out.ascii("{\"done\":{");
            records.done(done.tag(), branch.count, done.limited());
            out.ascii("},\"branch\":" + source + "}\n");
        }
    }

    /** Nobody waits with the end of one branch for another, unless they have an order or fail together. */
    private void releaseIfIndependent(Sink out) {
        if (!together && orderBy == null) {
            out.release();
        }
    }

    private static void row(int source, Rows rows, Branch branch, JsonRecords records, Sink out) {
        out.ascii("{\"branch\":");
        out.ascii(String.valueOf(source));
        out.ascii(",\"row\":");
        records.row(rows, branch.types);
        out.ascii("}\n");
    }

    private void end(Sink out) {
        long rows = branches.stream().mapToLong(branch -> branch.count).sum();
        out.ascii(String.format(
                Locale.ROOT, "{\"end\":{\"rows\":%d,\"elapsedMs\":%.3f,\"branches\":[", rows, times.elapsedMs()));
        for (int i = 0; i < branches.size(); i++) {
            Branch branch = branches.get(i);
            out.ascii(i == 0 ? "{\"domain\":" : ",{\"domain\":");
            out.string(branch.domain);
            out.ascii(String.format(
                    Locale.ROOT,
                    ",\"rows\":%d,\"waitedMs\":%.3f,\"failed\":%b,\"connection\":",
                    branch.count,
                    branch.waitedNanos / 1e6,
                    branch.failure != null));
            out.string(branch.connection);
            out.put('}');
        }
        out.ascii("]}}\n");
    }

    /** Ends all sessions. Statements that are still being executed are cancelled. */
    @Override
    public void close() {
        branches.forEach(branch -> branch.session.close());
        branches.stream().map(branch -> branch.domain).distinct().forEach(ended);
    }
}
