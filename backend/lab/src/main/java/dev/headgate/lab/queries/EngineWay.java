package dev.headgate.lab.queries;

import dev.headgate.engine.Pool;
import dev.headgate.engine.connect.Target;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.sql.SqlSession;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** By Headgate's query engine in this process: one session, a round for each query, all submitted at once. */
public final class EngineWay implements Way {

    private final @Nullable QueryEngine own;
    private final SqlSession session;

    /**
     * A session on a pool of its own. Blocks until the connections are open.
     *
     * @param supervisor receives the failures of the engine's threads
     */
    public EngineWay(Target target, int connections, Supervisor supervisor) throws IOException, InterruptedException {
        QueryEngine engine = new QueryEngine(supervisor);
        own = engine;
        try {
            session = engine.session(engine.open(target, connections));
        } catch (InterruptedException | RuntimeException e) {
            engine.close();
            throw e;
        }
    }

    /** A session on a pool that it shares with others. */
    EngineWay(QueryEngine engine, Pool shared) {
        own = null;
        session = engine.session(shared);
    }

    @Override
    public long run(int[] keys) throws Exception {
        return Rounds.of(session, QUERY, keys, true).get(1, TimeUnit.MINUTES);
    }

    @Override
    public void close() {
        session.close();
        if (own != null) {
            own.close();
        }
    }
}
