package dev.headgate.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.engine.time.VirtualTime;
import dev.headgate.wire.Directory;
import dev.headgate.wire.PoolMode;
import dev.headgate.wire.RelayLoops;
import dev.headgate.wire.SessionState;
import dev.headgate.wire.UnnamedStatements;
import dev.headgate.wire.loop.Loop;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The engine for SQL, whole, before fake servers and in virtual time: no socket, no thread, no waiting. Everything but the pool and its
 * connections is the real thing: sessions, relay, loop, account of memory. Whatever happens happens in {@link #turn}, {@link #settle}
 * and {@link #pass}, on the test's thread.
 */
final class VirtualWorld {

    /** After so many turns the loop is not going to rest. */
    private static final int MOST_TURNS = 1_000_000;

    private static final Duration STEP = Duration.ofMillis(50);
    private static final long MOST_MEMORY = 64 << 20;
    private static final long NANOS_PER_MILLI = 1_000_000;

    final VirtualTime time = new VirtualTime();
    final FakePool pool;
    final MemoryAccount memory = new MemoryAccount(MOST_MEMORY, RelayLoops.PORTIONS);
    final Loop loop;
    private final FakeSelector selector = new FakeSelector();
    private final SqlEngine sql;
    private final Directory.Domain domain;

    /** Work that blocks, such as cancels, that has not begun. */
    private final ArrayDeque<Runnable> work = new ArrayDeque<>();

    /** Whether work that blocks begins by {@link #work} alone. */
    boolean worksByHand;

    /** Whether the test looks at the failures itself. */
    boolean mayFail;

    /** What the supervisor was told. */
    final List<Throwable> failures = new ArrayList<>();

    private final List<SqlSession> opened = new ArrayList<>();

    /** @param connections the size of its pool, where a request waits for ten seconds at most */
    VirtualWorld(int connections) {
        pool = new FakePool(time, connections, Duration.ofSeconds(10));
        Supervisor supervisor = new Supervisor(time::now, failure -> failures.add(failure.cause()));
        loop = Loop.byHand("loop", selector, time::nanoTime, supervisor);
        RelayLoops loops = RelayLoops.of(
                List.of(loop),
                new VirtualTime(), // nobody watches for stalled loops
                new SqlWorld.Silent(),
                memory,
                (task, thread, blocking) -> work.add(() -> {
                    boolean _ = supervisor.run(task, blocking);
                }));
        sql = new SqlEngine(loops, false);
        domain = new Directory.Domain(
                pool.asPool(), PoolMode.TRANSACTION, 100, SessionState.PIN, UnnamedStatements.AUTO);
    }

    SqlSession open(Caller caller) {
        SqlSession session = sql.open(domain, caller);
        opened.add(session);
        return session;
    }

    SqlSession open() {
        return open(Caller.named("test"));
    }

    /** Submits a round to a session. */
    Heard submit(SqlSession session, Query... round) {
        Heard heard = new Heard(round);
        session.submit(heard.round, heard);
        return heard;
    }

    Heard submit(SqlSession session, String sql) {
        return submit(session, Query.of(sql));
    }

    // ---- how it goes on

    void turn() {
        try {
            loop.turn();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        if (!mayFail && !failures.isEmpty()) {
            throw new AssertionError("something failed on the loop", failures.getFirst());
        }
    }

    /** Whether the last turn found nothing to do. */
    boolean isIdle() {
        return selector.isIdle();
    }

    /** Everything happens that can happen now. */
    void settle() {
        for (int turns = 0; turns < MOST_TURNS; turns++) {
            turn();
            if (!worksByHand && hasWork()) {
                work();
            } else if (isIdle()) {
                return;
            }
        }
        throw new AssertionError("the loop does not come to rest");
    }

    /** Whether work that blocks has not begun. */
    boolean hasWork() {
        return !work.isEmpty();
    }

    /** Does some work that blocks. */
    void work() {
        work.remove().run();
    }

    /** Lets time pass, and everything happen that falls due. */
    void pass(Duration stretch) {
        settle();
        long end = time.sinceStartNanos() + stretch.toNanos();
        while (time.sinceStartNanos() < end) {
            time.runUntil(Math.min(end, time.sinceStartNanos() + untilNextNanos()));
            settle();
        }
    }

    /** How long nothing happens on the loop; a step at most, as the pool has deadlines of its own. */
    private long untilNextNanos() {
        long timer = selector.timeoutMillis() * NANOS_PER_MILLI;
        return timer == 0 ? STEP.toNanos() : Math.min(timer, STEP.toNanos());
    }

    /** Whether the loop has a timer. */
    boolean hasTimer() {
        return selector.timeoutMillis() > 0;
    }

    // ---- its end

    /** Ends every session, and checks that nothing is left of them. */
    void endAll() {
        opened.forEach(SqlSession::close);
        pass(Duration.ofSeconds(30));
        assertNothingIsLeft();
    }

    /** Bytes that are reserved for long rows, without what is in buffers. */
    long reservedForRows() {
        return memory.lines().stream()
                .filter(line -> line.holder().equals(RelayLoops.HOLDER))
                .mapToLong(MemoryAccount.Line::reserved)
                .sum();
    }

    /** Nothing is left of the sessions, which have ended. */
    void assertNothingIsLeft() {
        assertThat(opened)
                .as("every session has ended")
                .allMatch(session -> session.ended().toCompletableFuture().isDone());
        assertThat(opened).as("no session keeps bytes").allMatch(session -> session.buffered() == 0);
        assertThat(pool.inUse()).as("leases").isZero();
        assertThat(pool.waiting()).as("waiters").isZero();
        assertThat(memory.reserved()).as("reserved memory").isZero();
        assertThat(work).as("work that blocks").isEmpty();
        assertThat(hasTimer()).as("the loop has a timer").isFalse();
    }
}
