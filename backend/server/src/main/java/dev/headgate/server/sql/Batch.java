package dev.headgate.server.sql;

import dev.headgate.protocol.FirstWords;
import dev.headgate.sql.Query;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What one request executes.
 *
 * @param rounds each with its statements, and perhaps BEGIN and COMMIT around them
 * @param framed whether the first and last statement of each round are BEGIN and COMMIT
 * @param together whether a failure ends everything
 */
record Batch(List<List<Query>> rounds, boolean framed, boolean together) {

    /** Statements that the server executes in one transaction. Others may commit on their way, as CALL, DO and VACUUM do. */
    private static final Set<String> ATOMIC =
            Set.of("SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", "WITH", "VALUES", "TABLE");

    /**
     * All statements in one transaction.
     *
     * @param begin how it begins
     */
    static Batch transaction(String begin, List<Query> queries) {
        return new Batch(List.of(framed(begin, queries)), true, true);
    }

    /** All statements in the transaction that the session is in. */
    static Batch within(List<Query> queries) {
        return new Batch(List.of(queries), false, true);
    }

    /** Each statement for itself. */
    static Batch independent(List<Query> queries) {
        return new Batch(queries.stream().map(List::of).toList(), false, queries.size() == 1);
    }

    /** Each statement in a transaction for itself. */
    static Batch independent(String begin, List<Query> queries) {
        return new Batch(
                queries.stream().map(query -> framed(begin, List.of(query))).toList(), true, queries.size() == 1);
    }

    /** The same in read-only transactions. */
    Batch readOnly() {
        return framed
                ? new Batch(rounds.stream().map(Batch::readOnly).toList(), true, together)
                : new Batch(
                        rounds.stream()
                                .map(round -> framed("BEGIN READ ONLY", round))
                                .toList(),
                        true,
                        together);
    }

    private static List<Query> readOnly(List<Query> framed) {
        List<Query> all = new ArrayList<>(framed);
        all.set(0, Query.of(framed.getFirst().sql() + " READ ONLY")); // of two modes the last is in force
        return List.copyOf(all);
    }

    /** Whether the server undoes all of it if one of its statements fails. */
    boolean isAtomic() {
        return framed
                ? together
                : rounds.size() == 1
                        && rounds.getFirst().size() == 1
                        && ATOMIC.containsAll(
                                FirstWords.of(rounds.getFirst().getFirst().sql(), 1));
    }

    /** The statements of the caller. */
    List<Query> statements() {
        return rounds.stream()
                .flatMap(round -> (framed ? round.subList(1, round.size() - 1) : round).stream())
                .toList();
    }

    private static List<Query> framed(String begin, List<Query> queries) {
        List<Query> all = new ArrayList<>(queries.size() + 2);
        all.add(Query.of(begin));
        all.addAll(queries);
        all.add(Query.of("COMMIT"));
        return List.copyOf(all);
    }
}
