package dev.headgate.lab.queries;

import dev.headgate.engine.Engine;
import dev.headgate.engine.EngineListener;
import dev.headgate.engine.Pool;
import dev.headgate.engine.connect.Target;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.lab.pools.FixedPool;
import dev.headgate.sql.Caller;
import dev.headgate.sql.SqlSession;
import dev.headgate.sql.StandaloneEngine;
import java.io.IOException;
import java.util.concurrent.Phaser;

/** Headgate's query engine in this process, with pools of fixed sizes. Safe for any thread. */
public final class QueryEngine implements AutoCloseable {

    private final Engine engine;
    private final StandaloneEngine queries;

    /** Its parties are the open sessions, and this engine. */
    private final Phaser sessions = new Phaser(1);

    /** @param supervisor receives the failures of its threads */
    public QueryEngine(Supervisor supervisor) throws IOException {
        engine = Engine.start("lab", EngineListener.NONE, supervisor);
        try {
            queries = new StandaloneEngine(supervisor);
        } catch (IOException | RuntimeException e) {
            engine.close();
            throw e;
        }
    }

    /** Opens a pool; blocks until all its connections are open. */
    public Pool open(Target target, int connections) throws InterruptedException {
        return FixedPool.open(engine.open(target), target.name(), connections);
    }

    /** A session that keeps its connection until its rounds have ended, as it does for requests over HTTP. */
    public SqlSession session(Pool pool) {
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
