package dev.headgate.bench.wire;

import dev.headgate.engine.Engine;
import dev.headgate.engine.EngineListener;
import dev.headgate.engine.Pool;
import dev.headgate.engine.connect.Target;
import dev.headgate.engine.governor.PolicySet;
import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.spi.Limits;
import dev.headgate.spi.WhenExhausted;
import dev.headgate.sql.Answer;
import dev.headgate.sql.AnswerListener;
import dev.headgate.sql.Caller;
import dev.headgate.sql.Query;
import dev.headgate.sql.SqlEngine;
import dev.headgate.sql.SqlSession;
import dev.headgate.wire.Directory;
import dev.headgate.wire.LoopListener;
import dev.headgate.wire.PoolMode;
import dev.headgate.wire.RelayLoops;
import dev.headgate.wire.SessionState;
import dev.headgate.wire.Turning;
import dev.headgate.wire.UnnamedStatements;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * By Headgate's query engine in this process: one session, a round for each query, all submitted at once. The session keeps its
 * connection until its rounds have ended, as it does for requests over HTTP.
 */
final class EngineWay implements Way {

    private static final long MEMORY = 64 << 20;

    private final Engine engine = Engine.start("bench", EngineListener.NONE);
    private final RelayLoops loops;
    private final SqlSession session;

    EngineWay(int port, String password, int connections) throws IOException {
        Pool pool = engine.open(Target.of(
                                "main",
                                "127.0.0.1",
                                port,
                                PostgresServer.DATABASE,
                                PostgresServer.USER,
                                password,
                                connections)
                        .withSslMode(Target.SslMode.DISABLE))
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
                                                .because("fixed for the benchmark"))));
        loops = RelayLoops.open(
                1,
                new Silent(),
                new MemoryAccount(MEMORY, List.of(new MemoryAccount.Portion(RelayLoops.HOLDER, 0.25, 0.75, 0.5, 0.25))),
                Supervisor.silent());
        session = new SqlEngine(loops)
                .open(
                        new Directory.Domain(pool, PoolMode.TRANSACTION, 100, SessionState.PIN, UnnamedStatements.AUTO),
                        Caller.named("bench").with(Caller.Order.FINISH_FIRST));
    }

    private static final class Silent implements LoopListener {
        @Override
        public void stalled(Turning loop, Instant since, String threads) {}

        @Override
        public void turnsAgain(Turning loop, Duration stood) {}
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
    public void close() throws Exception {
        session.close();
        session.ended().toCompletableFuture().get(1, TimeUnit.MINUTES);
        loops.close();
        engine.close();
    }
}
