package dev.headgate.sql;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A statement's whole answer in memory.
 *
 * @param rows the values as PostgreSQL's texts, null for NULL
 * @param tag the server's command tag
 */
public record Result(List<Column> columns, List<List<@Nullable String>> rows, String tag, boolean limited) {

    /**
     * Sends a round and gathers its answers. Does not block.
     *
     * @param mostBytes the most bytes of all rows; with more the session ends
     * @return one result for each statement, or the {@link SqlFailure} of the one that failed, or the
     *     {@link RejectedExecutionException} where too many rounds wait
     */
    public static CompletionStage<List<Result>> of(SqlSession session, List<Query> queries, long mostBytes) {
        Gathering gathering = new Gathering(session, mostBytes);
        try {
            session.submit(queries, gathering);
        } catch (RejectedExecutionException full) {
            gathering.done.completeExceptionally(full);
        }
        return gathering.done.minimalCompletionStage();
    }

    private static final class Gathering implements AnswerListener {
        private final SqlSession session;
        private final long mostBytes;
        private final CompletableFuture<List<Result>> done = new CompletableFuture<>();
        private final List<Result> results = new ArrayList<>();
        private List<Column> columns = List.of();
        private List<List<@Nullable String>> rows = new ArrayList<>();
        private long bytes;

        Gathering(SqlSession session, long mostBytes) {
            this.session = session;
            this.mostBytes = mostBytes;
        }

        @Override
        public boolean take(Answer answer) {
            switch (answer) {
                case Answer.Columns described -> columns = described.columns();
                case Answer.Some some -> gather(some.rows());
                case Answer.Done finished -> {
                    results.add(new Result(columns, rows, finished.tag(), finished.limited()));
                    columns = List.of();
                    rows = new ArrayList<>();
                }
                case Answer.Failed failed -> done.completeExceptionally(failed.why());
                case Answer.Ended _ -> done.complete(results);
            }
            return true;
        }

        private void gather(Rows some) {
            bytes += some.size();
            if (bytes > mostBytes) {
                rows.clear();
                session.end(SqlFailure.of("54000", "an answer may have " + mostBytes + " bytes here"));
                return;
            }
            while (some.next()) {
                List<@Nullable String> row = new ArrayList<>(some.columns());
                for (int i = 0; i < some.columns(); i++) {
                    row.add(some.text(i));
                }
                rows.add(Collections.unmodifiableList(row));
            }
        }
    }
}
