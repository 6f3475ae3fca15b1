package dev.headgate.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** A listener that notes what it hears of one round, and takes no more rows now and then. */
final class Heard implements AnswerListener {

    final List<Query> round;
    private final BooleanSupplier refusal;

    /** The answers as texts: "columns 1", the rows one after another, "done SELECT 3", "failed 22012", "ended". */
    final List<String> notes = new ArrayList<>();

    private final StringBuilder rows = new StringBuilder();

    /** It takes no more rows until somebody resets this and resumes the session. */
    boolean refuses;

    /** The answers so far. */
    int taken;

    /** The rows that came although it takes none, each some. */
    int sinceRefused;

    int arrivals;
    int awaited;

    /** The state of the transaction at the end; a blank before. */
    char transaction = ' ';

    /** The connection that executed the round. */
    String connection = "";

    /** @param refusal asked after each rows whether it takes no more */
    Heard(List<Query> round, BooleanSupplier refusal) {
        this.round = round;
        this.refusal = refusal;
    }

    /** One that takes everything. */
    Heard(Query... round) {
        this(List.of(round), () -> false);
    }

    @Override
    public boolean take(Answer answer) {
        taken++;
        sinceRefused += refuses && answer instanceof Answer.Some ? 1 : 0;
        note(answer);
        refuses |= answer instanceof Answer.Some && refusal.getAsBoolean();
        return !refuses;
    }

    private void note(Answer answer) {
        if (!(answer instanceof Answer.Some)) {
            flushRows();
        }
        switch (answer) {
            case Answer.Columns columns ->
                notes.add("columns " + columns.columns().size());
            case Answer.Some some -> {
                while (some.rows().next()) {
                    rows.append(some.rows().text(0)).append(' ');
                }
            }
            case Answer.Done done -> notes.add("done " + done.tag() + (done.limited() ? " limited" : ""));
            case Answer.Failed failed -> notes.add("failed " + failed.why().sqlState());
            case Answer.Ended end -> {
                notes.add("ended");
                transaction = end.transaction();
                connection = end.connection();
            }
        }
    }

    private void flushRows() {
        if (!rows.isEmpty()) {
            notes.add(rows.toString());
            rows.setLength(0);
        }
    }

    @Override
    public void arrived() {
        arrivals++;
    }

    @Override
    public void awaited() {
        awaited++;
    }

    /** The characters of the rows that have come and whose statement is not over. */
    int unfinished() {
        return rows.length();
    }

    boolean hasEnded() {
        return transaction != ' ';
    }
}
