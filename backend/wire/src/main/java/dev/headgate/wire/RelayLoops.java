package dev.headgate.wire;

import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.supervision.Supervisor;
import dev.headgate.engine.time.SystemTime;
import dev.headgate.engine.time.Time;
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

    /** The holder that counts clients' buffers; its parties are the domains, too. */
    public static final String BUFFERS_HOLDER = "buffers";

    /** The portions of an account that serves nothing but loops. */
    public static final List<MemoryAccount.Portion> PORTIONS = List.of(
            new MemoryAccount.Portion(HOLDER, 0.25, 0.75, 0.5, 0.25),
            new MemoryAccount.Portion(BUFFERS_HOLDER, 0.0625, 0.25, 0.125, 0.125));

    private final List<RelayLoop> loops;
    private final LoopWatch watch;

    /** Ends the watch's clock. */
    private final Runnable closesTime;

    private final AtomicInteger taken = new AtomicInteger();
    private final AtomicInteger ids = new AtomicInteger();

    private RelayLoops(List<RelayLoop> loops, Time time, Runnable closesTime, LoopListener listener) {
        this.loops = loops;
        this.closesTime = closesTime;
        this.watch = new LoopWatch(loops, time, listener);
    }

    /**
     * Starts the loops.
     *
     * @param count at least 1
     * @param busyPolls whether busy loops look for the next message before they sleep
     * @param listener receives reports of stalled loops
     * @param memory the account for memory that clients make a loop hold, with a {@link #HOLDER} and a {@link #BUFFERS_HOLDER}
     * @param supervisor receives the failures of the loops and the timer
     */
    public static RelayLoops open(
            int count, boolean busyPolls, LoopListener listener, MemoryAccount memory, Supervisor supervisor)
            throws IOException {
        List<Loop> loops = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                loops.add(Loop.open("wire-loop-" + i, busyPolls, supervisor));
            }
        } catch (IOException e) {
            loops.forEach(Loop::close);
            throw e;
        }
        SystemTime time = new SystemTime(supervisor);
        BlockingWork work = BlockingWork.onVirtualThreads(supervisor);
        return new RelayLoops(relayLoops(loops, memory, work), time, time::close, listener);
    }

    /**
     * Loops that the caller has made, such as those that a test turns in virtual time.
     *
     * @param time of the watch for stalled loops
     */
    public static RelayLoops of(
            List<Loop> loops, Time time, LoopListener listener, MemoryAccount memory, BlockingWork work) {
        return new RelayLoops(relayLoops(loops, memory, work), time, () -> {}, listener);
    }

    private static List<RelayLoop> relayLoops(List<Loop> loops, MemoryAccount memory, BlockingWork work) {
        AtomicLong schemas = new AtomicLong();
        ReportedParameters reports = new ReportedParameters();
        return loops.stream()
                .map(loop -> new RelayLoop(loop, schemas, reports, memory, work))
                .toList();
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
        closesTime.run();
        loops.forEach(loop -> loop.loop().close());
    }
}
