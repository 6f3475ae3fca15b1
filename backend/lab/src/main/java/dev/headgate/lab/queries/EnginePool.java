package dev.headgate.lab.queries;

import dev.headgate.engine.Engine;
import dev.headgate.engine.EngineListener;
import dev.headgate.engine.Pool;
import dev.headgate.engine.connect.Target;
import dev.headgate.lab.pools.FixedPool;
import dev.headgate.sql.Caller;
import dev.headgate.sql.SqlSession;
import dev.headgate.sql.StandaloneEngine;
import java.io.IOException;
import java.util.concurrent.Phaser;

/** A pool of a fixed size with Headgate's query engine on it, in this process. Safe for any thread. */
public final class EnginePool implements AutoCloseable {

    private final Engine engine = Engine.start("lab", EngineListener.NONE);
    private final StandaloneEngine queries;
    private final Pool pool;

    /** Its parties are the open sessions, and this pool. */
    private final Phaser sessions = new Phaser(1);

    /** Opens it; blocks until all its connections are open. */
    public EnginePool(Target target, int connections) throws IOException, InterruptedException {
        try {
            pool = FixedPool.open(engine.open(target), "queries", connections);
            queries = new StandaloneEngine();
        } catch (IOException | InterruptedException | RuntimeException e) {
            engine.close();
            throw e;
        }
    }

    /** For callers that block. */
    public Pool pool() {
        return pool;
    }

    /** A session that keeps its connection until its rounds have ended, as it does for requests over HTTP. */
    public SqlSession session() {
        SqlSession session = queries.open(pool, Caller.named("lab").with(Caller.Order.FINISH_FIRST));
        sessions.register();
        session.ended().whenComplete((ended, failure) -> sessions.arriveAndDeregister());
        return session;
    }

    /** Blocks until its sessions have ended. They must have been closed. */
    @Override
    public void close() {
        sessions.arriveAndAwaitAdvance();
        queries.close();
        engine.close();
    }
}
