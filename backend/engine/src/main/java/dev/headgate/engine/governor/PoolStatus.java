package dev.headgate.engine.governor;

import dev.headgate.engine.meter.LatencySummary;
import dev.headgate.spi.Limits;
import dev.headgate.spi.Tier;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * One pool at one instant.
 *
 * @param size connections held or being opened: {@link GovernedPool#held}
 * @param target connections the allocator gave it
 * @param guaranteed 0 where nothing is guaranteed
 * @param lent connections beyond its guarantee that are owed to a sibling, which has no need of them now
 * @param degraded which policy fails, and what is in force instead of its answer, if one does
 * @param limits the combined limits in force
 * @param binding the policy that gives the ceiling, the database's where that holds it back; none where the budget does
 * @param limitedBy what keeps the pool from growing, or would, if its callers needed more
 * @param latency of requests, over the last 10 s
 * @param waits of leases, over the last 10 s
 * @param traffic over the last 10 s
 */
public record PoolStatus(
        String domain,
        String database,
        long revision,
        State state,
        Tier tier,
        int size,
        int inUse,
        int idle,
        int opening,
        int waiting,
        long longestWaitNanos,
        int floor,
        int ceiling,
        int target,
        int guaranteed,
        int lent,
        int budget,
        Optional<String> degraded,
        Limits limits,
        Optional<Answer> binding,
        Limit limitedBy,
        List<Answer> answers,
        List<RaisedAlarm> alarms,
        LatencySummary latency,
        LatencySummary waits,
        double arrivalsPerSecond,
        double errorsPerSecond,
        double refusedPerSecond,
        Traffic traffic,
        Totals totals) {

    /** What is left to say of a pool that was closed: nothing is open. */
    public static PoolStatus closed(String domain, String database) {
        return new PoolStatus(
                domain,
                database,
                0,
                State.DRAINING,
                Tier.NONE,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                Optional.empty(),
                Limits.unbounded(),
                Optional.empty(),
                Limit.NONE,
                List.of(),
                List.of(),
                LatencySummary.none(),
                LatencySummary.none(),
                0,
                0,
                0,
                Traffic.NONE,
                Totals.NONE);
    }

    /** Whether requests get leases. */
    public enum State {
        OPEN,
        PAUSED,
        DRAINING
    }

    /**
     * What keeps a pool from growing.
     *
     * @param answer of the policy that bounds it, if one does
     * @param holdsBack whether callers wait for it now; if not, it is what they would meet first
     */
    public record Limit(By by, Optional<Answer> answer, boolean holdsBack) {

        static final Limit NONE = new Limit(By.NOTHING, Optional.empty(), false);

        /** What is used up. */
        public enum By {
            PAUSED,
            /** The pool drains, or is being removed. */
            DRAINING,
            RATE,
            /** No connection can be opened. */
            UNREACHABLE,
            /** The pool has all that its own policies allow. */
            CEILING,
            /** The domains together have all that the database's policies allow. */
            DATABASE,
            BUDGET,
            NOTHING
        }
    }

    /** How badly, from harmless to worst. */
    public enum Severity {
        /** No alarm has it. */
        FINE,
        /** Nobody suffers: somebody wants it so, or it is over. */
        NOTICE,
        WARNING,
        CRITICAL
    }

    /** What an alarm concerns. One of a database stands on it and on each of its pools that it hits, one of the service on all pools. */
    public enum Reach {
        DOMAIN,
        DATABASE,
        SERVICE
    }

    /**
     * An alarm that stands. A condition that comes and goes is one alarm.
     *
     * @param words what the condition was when it was last seen
     * @param since when the condition began
     * @param severity of the condition when it was last seen
     * @param times how often the condition has come since then
     * @param clearing when the condition was last seen, if it was not within the last second; the alarm ends if it stays away for some
     *     seconds
     */
    public record RaisedAlarm(
            String code,
            Words words,
            Instant since,
            Severity severity,
            Reach reach,
            int times,
            Optional<Instant> clearing) {

        /** When it ended, if it is over: it came once and does not hold now. What came several times may be about to return. */
        public Optional<Instant> until() {
            return times == 1 ? clearing : Optional.empty();
        }

        public Severity severityNow() {
            return until().isPresent() ? Severity.NOTICE : severity;
        }

        /** One to three words. */
        public String label() {
            return until().isPresent() ? "recovered" : words.label();
        }

        /** Without a full stop; "until 12 s ago" may follow where it is over, else "for 2 min". */
        public String sentence() {
            return until().isPresent() ? words.past() : words.sentence() + often();
        }

        /** What will be said of it once it has ended. */
        public String past() {
            return words.past() + often();
        }

        private String often() {
            return times == 1 ? "" : " again and again";
        }
    }

    /**
     * What passes.
     *
     * @param meanLeasedNanos how long a lease is used, from its first request to its last one's end
     * @param bytesInPerSecond from the database
     * @param bytesOutPerSecond to it
     */
    public record Traffic(double meanLeasedNanos, double bytesInPerSecond, double bytesOutPerSecond) {
        static final Traffic NONE = new Traffic(0, 0, 0);
    }

    /**
     * Since the pool was opened. What is measured at connections is that of the windows that have ended.
     *
     * @param leasedNanos the time that connections spent in leases, each from its first request to its last one's end
     * @param busyNanos the time that they spent on requests
     * @param waitedNanos the time that those waited who got a lease
     * @param bytesIn from the database
     * @param bytesOut to it
     */
    public record Totals(
            long leases,
            long requests,
            long errors,
            long refused,
            long timedOut,
            long leasedNanos,
            long busyNanos,
            long waitedNanos,
            long bytesIn,
            long bytesOut) {
        static final Totals NONE = new Totals(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }
}
