package dev.headgate.lab.queries;

import dev.headgate.sql.Answer;
import dev.headgate.sql.AnswerListener;
import dev.headgate.sql.Query;
import dev.headgate.sql.SqlSession;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * One statement on one session, once for each of some keys, and the sum of the first column of all its rows: all submitted at once, or
 * each after the answer to the one before.
 */
final class Rounds implements AnswerListener {

    private final SqlSession session;
    private final String statement;
    private final int[] keys;
    private final boolean pipelined;
    private final CompletableFuture<Long> done = new CompletableFuture<>();
    private int answered;
    private long sum;

    private Rounds(SqlSession session, String statement, int[] keys, boolean pipelined) {
        this.session = session;
        this.statement = statement;
        this.keys = keys;
        this.pipelined = pipelined;
    }

    /**
     * Submits them; does not block. The future completes on the session's loop.
     *
     * @param keys at least one
     */
    static CompletableFuture<Long> of(SqlSession session, String statement, int[] keys, boolean pipelined) {
        Rounds rounds = new Rounds(session, statement, keys, pipelined);
        for (int i = 0; i < (pipelined ? keys.length : 1); i++) {
            rounds.submit(i);
        }
        return rounds.done;
    }

    private void submit(int at) {
        session.submit(List.of(Query.of(statement, Integer.toString(keys[at]))), this);
    }

    @Override
    public boolean take(Answer answer) {
        switch (answer) {
            case Answer.Some some -> {
                while (some.rows().next()) {
                    String text = some.rows().text(0);
                    sum += text == null ? 0 : Long.parseLong(text);
                }
            }
            case Answer.Failed failed -> done.completeExceptionally(failed.why());
            case Answer.Ended _ -> ended();
            case Answer.Columns _, Answer.Done _ -> {}
        }
        return true;
    }

    private void ended() {
        answered++;
        if (answered == keys.length) {
            done.complete(sum);
        } else if (!pipelined && !done.isDone()) {
            submit(answered);
        }
    }
}
