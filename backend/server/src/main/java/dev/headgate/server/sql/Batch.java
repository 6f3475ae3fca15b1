package dev.headgate.server.sql;

import dev.headgate.protocol.FirstWords;
import dev.headgate.sql.Query;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What one request executes.
 *
 * @param together whether a failure ends everything
 */
record Batch(List<Round> rounds, boolean together) {

    /** Statements that the server executes in one transaction. Others may commit on their way, as CALL, DO and VACUUM do. */
    private static final Set<String> ATOMIC =
            Set.of("SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", "WITH", "VALUES", "TABLE");

    private static final String BEGIN = "BEGIN";
    private static final String READ_ONLY = " READ ONLY";

    /**
     * Ends read-only transactions: there is nothing to keep, unless PostgreSQL has let something pass. It lets EXPLAIN ANALYZE make the
     * table of a CREATE TABLE AS, also within a function.
     */
    static final String ROLLBACK = "ROLLBACK";

    /** Bytes of a statement, of a parameter and of a type, with what refers to them and without their texts. */
    private static final int OBJECTS = 200;

    private static final int OF_PARAMETER = 80;
    private static final int OF_TYPE = 80;

    /**
     * Statements that succeed or fail together.
     *
     * @param before how many of Headgate's own come first
     * @param after how many of Headgate's own come last
     */
    record Round(List<Query> queries, int before, int after) {

        private static Round of(List<Query> queries) {
            return new Round(List.copyOf(queries), 0, 0);
        }

        private static Round framed(String begin, List<Query> queries) {
            List<Query> all = new ArrayList<>(queries.size() + 2);
            all.add(Query.of(begin));
            all.addAll(queries);
            all.add(Query.of("COMMIT"));
            return new Round(List.copyOf(all), 1, 1);
        }

        /** Of a failed round before it, the transaction is still open: the failure has skipped its COMMIT. Otherwise this is a warning. */
        private Round afterAnother() {
            List<Query> all = new ArrayList<>(queries);
            all.addFirst(Query.of(ROLLBACK));
            return new Round(List.copyOf(all), before + 1, after);
        }

        private Round readOnly() {
            Round framed = before == 0 ? framed(BEGIN, queries) : this;
            List<Query> all = new ArrayList<>(framed.queries);
            int begin = framed.before - 1;
            all.set(begin, Query.of(all.get(begin).sql() + READ_ONLY)); // of two modes the last is in force
            all.set(all.size() - 1, Query.of(ROLLBACK));
            return new Round(List.copyOf(all), framed.before, framed.after);
        }

        /** Whether the statement in that place is Headgate's own. */
        boolean isOwn(int place) {
            return place < before || place >= queries.size() - after;
        }

        private List<Query> statements() {
            return queries.subList(before, queries.size() - after);
        }
    }

    /**
     * All statements in one transaction.
     *
     * @param begin how it begins
     */
    static Batch transaction(String begin, List<Query> queries) {
        return new Batch(List.of(Round.framed(begin, queries)), true);
    }

    /** All statements in the transaction that the session is in. */
    static Batch within(List<Query> queries) {
        return new Batch(List.of(Round.of(queries)), true);
    }

    /** Each statement for itself. */
    static Batch independent(List<Query> queries) {
        return new Batch(queries.stream().map(query -> Round.of(List.of(query))).toList(), queries.size() == 1);
    }

    /** The same in read-only transactions, each in one for itself if they are independent. */
    Batch readOnly() {
        List<Round> all = new ArrayList<>();
        for (Round round : rounds) {
            Round its = round.readOnly();
            all.add(all.isEmpty() ? its : its.afterAnother());
        }
        return new Batch(List.copyOf(all), together);
    }

    /** Whether the server undoes all of it if one of its statements fails. */
    boolean isAtomic() {
        Round first = rounds.getFirst();
        return together
                && (first.before() > 0
                        || (first.queries().size() == 1
                                && ATOMIC.containsAll(
                                        FirstWords.of(first.queries().getFirst().sql(), 1))));
    }

    /** About how many bytes it takes in memory. Many short parameters take much more than their text. */
    long bytes() {
        long bytes = 0;
        for (Round round : rounds) {
            for (Query query : round.queries()) {
                bytes += OBJECTS
                        + 2L * query.sql().length()
                        + (long) OF_TYPE * query.types().size();
                for (@Nullable String value : query.parameters()) {
                    bytes += OF_PARAMETER + (value == null ? 0 : 2L * value.length());
                }
            }
        }
        return bytes;
    }

    /** The statements of the caller. */
    List<Query> statements() {
        return rounds.stream().flatMap(round -> round.statements().stream()).toList();
    }
}
