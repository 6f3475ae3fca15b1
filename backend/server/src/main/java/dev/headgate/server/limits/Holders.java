package dev.headgate.server.limits;

import dev.headgate.engine.memory.MemoryAccount.Portion;
import dev.headgate.engine.recording.LeaseRecorder;
import dev.headgate.wire.RelayLoops;
import java.util.List;

/** The holders of the memory account and their portions. The only place that defines them. */
public final class Holders {

    /** Clients of the wire port, by domain. */
    public static final String WIRE = RelayLoops.HOLDER;

    /** What is in the buffers of the wire port's clients between two events, by domain. */
    public static final String BUFFERS = RelayLoops.BUFFERS_HOLDER;

    /** Requests: their bodies, and what is read for their answers; by caller. */
    public static final String HTTP = "http";

    /** Long requests: what is replayed or compared, and results that are kept; by caller. */
    public static final String WORK = "work";

    /** The measurements of the last hour, by domain. */
    public static final String HISTORY = "history";

    /** The lease requests of the last ten minutes, which replays read, by domain. */
    public static final String LEASES = LeaseRecorder.HOLDER;

    /** What waits for the clients of the stream that subscribe to a few domains, by caller. */
    public static final String STREAM = "stream";

    /** What waits for those that subscribe to many, by caller. */
    public static final String WIDE_STREAM = "wide-stream";

    /** The last lines of the service's log. */
    public static final String LOG = "log";

    /**
     * In sixteenths of the account: a holder's own, its most, a party's most, a share's most. No caller has more than half of a
     * holder, so that it cannot keep the others out.
     */
    static final List<Portion> PORTIONS = List.of(
            of(WIRE, 4, 12, 8, 4),
            of(BUFFERS, 0, 4, 2, 2),
            of(HTTP, 1, 8, 4, 2),
            of(WORK, 1, 8, 4, 4),
            of(HISTORY, 1, 6, 6, 6),
            of(LEASES, 1, 4, 1, 1),
            of(STREAM, 1, 8, 4, 4),
            of(WIDE_STREAM, 1, 4, 2, 2),
            of(LOG, 0, 1, 1, 1));

    private Holders() {}

    private static Portion of(String holder, int own, int most, int party, int share) {
        return new Portion(holder, own / 16.0, most / 16.0, party / 16.0, share / 16.0);
    }
}
