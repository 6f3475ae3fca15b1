package dev.headgate.sql;

import dev.headgate.engine.Pool;
import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.supervision.Supervisor;
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

/** A query engine with a loop and memory of its own, for a program without a wire port. Safe for any number of threads. */
public final class StandaloneEngine implements AutoCloseable {

    private static final long MEMORY = 64 << 20;
    private static final int MOST_CLIENTS = 1_000;

    private final RelayLoops loops;
    private final SqlEngine engine;

    /**
     * Starts its loop.
     *
     * @param supervisor receives the failures of its threads
     */
    public StandaloneEngine(Supervisor supervisor) throws IOException {
        loops = RelayLoops.open(1, true, new Silent(), new MemoryAccount(MEMORY, RelayLoops.PORTIONS), supervisor);
        engine = new SqlEngine(loops, false);
    }

    private static final class Silent implements LoopListener {
        @Override
        public void stalled(Turning loop, Instant since, String threads) {}

        @Override
        public void turnsAgain(Turning loop, Duration stood) {}
    }

    /** As {@link SqlEngine#open}, on a pool, in transaction mode. */
    public SqlSession open(Pool pool, Caller caller) {
        return engine.open(
                new Directory.Domain(
                        pool, PoolMode.TRANSACTION, MOST_CLIENTS, SessionState.PIN, UnnamedStatements.AUTO),
                caller);
    }

    /** Ends its loop. Its sessions must have ended. */
    @Override
    public void close() {
        loops.close();
    }
}
