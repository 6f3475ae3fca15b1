package dev.headgate.lab.queries;

import dev.headgate.engine.Engine;
import dev.headgate.engine.EngineListener;
import dev.headgate.engine.Pool;
import dev.headgate.engine.connect.Target;
import dev.headgate.engine.governor.PolicySet;
import dev.headgate.spi.Limits;
import dev.headgate.spi.WhenExhausted;
import dev.headgate.sql.Answer;
import dev.headgate.sql.AnswerListener;
import dev.headgate.sql.Caller;
import dev.headgate.sql.Query;
import dev.headgate.sql.SqlSession;
import dev.headgate.sql.StandaloneEngine;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * By Headgate's query engine in this process: one session, a round for each query, all submitted at once. The session keeps its
 * connection until its rounds have ended, as it does for requests over HTTP.
 */
public final class EngineWay implements Way {

    private final Engine engine = Engine.start("lab", EngineListener.NONE);
    private final StandaloneEngine queries;
    private final SqlSession session;

    /** @param connections of its pool; one session uses one at a time */
    public EngineWay(Target target, int connections) throws IOException {
        Pool pool = engine.open(target)
                .open(
                        "queries",
                        PolicySet.of(
                                1,
                                WhenExhausted.queue(10_000, 10_000),
                                new PolicySet.Member(
                                        "fixed",
                                        _ -> Limits.unbounded()
                                                .withFloor(connections)
                                                .withCeiling(connections)
                                                .because("set by the experiment"))));
        queries = new StandaloneEngine();
        session = queries.open(pool, Caller.named("lab").with(Caller.Order.FINISH_FIRST));
    }

    @Override
    public long run(int[] keys) throws Exception {
        Sum sum = new Sum(keys.length);
        for (int key : keys) {
            session.submit(List.of(Query.of(QUERY, String.valueOf(key))), sum);
        }
        return sum.done.get(1, TimeUnit.MINUTES);
    }

    /** Reads the rows of some rounds. */
    private static final class Sum implements AnswerListener {
        private final CompletableFuture<Long> done = new CompletableFuture<>();
        private int left;
        private long sum;

        Sum(int rounds) {
            left = rounds;
        }

        @Override
        public boolean take(Answer answer) {
            switch (answer) {
                case Answer.Some some -> {
                    while (some.rows().next()) {
                        sum += number(some.rows().text(0));
                    }
                }
                case Answer.Failed failed -> done.completeExceptionally(failed.why());
                case Answer.Ended _ -> {
                    if (--left == 0) {
                        done.complete(sum);
                    }
                }
                case Answer.Columns _, Answer.Done _ -> {}
            }
            return true;
        }

        private static int number(@Nullable String text) {
            return text == null ? 0 : Integer.parseInt(text);
        }
    }

    @Override
    public void close() {
        session.close();
        session.ended().toCompletableFuture().orTimeout(1, TimeUnit.MINUTES).join();
        queries.close();
        engine.close();
    }
}
