package dev.headgate.wire;

import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.engine.time.SystemTime;
import dev.headgate.wire.loop.Loop;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The loops of the service. The clients of the wire port and those without a socket share them, so they also share the
 * connections' prepared statements. Safe for any number of threads.
 */
public final class RelayLoops implements AutoCloseable {

    /** The holder of the memory account that clients' memory is reserved from; its parties are the domains. */
    public static final String HOLDER = "wire";

    private final List<RelayLoop> loops;
    private final SystemTime time;
    private final LoopWatch watch;
    private final AtomicInteger taken = new AtomicInteger();
    private final AtomicInteger ids = new AtomicInteger();

    private RelayLoops(List<RelayLoop> loops, LoopListener listener, Supervisor supervisor) {
        this.loops = loops;
        this.time = new SystemTime(supervisor);
        this.watch = new LoopWatch(loops, time, listener);
    }

    /**
     * Starts the loops.
     *
     * @param count at least 1
     * @param listener receives reports of stalled loops
     * @param memory the account for memory that clients make a loop hold, with a {@link #HOLDER}
     * @param supervisor receives the failures of the loops and the timer
     */
    public static RelayLoops open(int count, LoopListener listener, MemoryAccount memory, Supervisor supervisor)
            throws IOException {
        AtomicLong schemas = new AtomicLong();
        List<RelayLoop> loops = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                loops.add(new RelayLoop(Loop.open("wire-loop-" + i, supervisor), schemas, memory, supervisor));
            }
        } catch (IOException e) {
            loops.forEach(loop -> loop.loop().close());
            throw e;
        }
        return new RelayLoops(List.copyOf(loops), listener, supervisor);
    }

    /** The state of each loop. */
    public List<LoopStatus> status() {
        return watch.status();
    }

    /** The loop of the next client. */
    public RelayLoop next() {
        return loops.get(Integer.remainderUnsigned(taken.getAndIncrement(), loops.size()));
    }

    /** The id of the next session, unique among those of the service. */
    public int nextId() {
        return ids.incrementAndGet();
    }

    RelayLoop first() {
        return loops.getFirst();
    }

    /** Ends the threads. Sessions that still exist stand still. */
    @Override
    public void close() {
        watch.close();
        time.close();
        loops.forEach(loop -> loop.loop().close());
    }
}
