package dev.headgate.simulator;

import dev.headgate.engine.recording.Recording;
import dev.headgate.engine.recording.Recording.Arrival;
import java.util.List;

/**
 * How the server's time for a request depends on how many leases are busy on it at once: a straight line, fitted to bins of
 * {@value #BIN_MILLIS} ms of a record (after Jordan, TR-2006-151, who found latency linear in the number of busy
 * connections). Each domain's times are taken relative to its own mean, so that domains of light and heavy requests give
 * one line.
 *
 * <p><b>Cause and effect.</b> A server that stalls makes requests slow, and thereby leases busy: fitted by least squares,
 * every stall looks like an effect of load. What the server did not cause are the arrivals. So the slope is taken from the
 * part of the busy leases that arrivals explain: with them as instrument, it is cov(time, arrivals) / cov(busy, arrivals)
 * (Wright, "The Tariff on Animal and Vegetable Oils", 1928, appendix B).
 *
 * <p>Where the record shows too little variation to tell, or falling times, the line is flat: the replay then takes the
 * recorded times as they are.
 */
public final class LoadLine {

    private static final int BIN_MILLIS = 200;
    private static final long BIN_NANOS = BIN_MILLIS * 1_000_000L;
    private static final int LEAST_BINS = 20;
    /** A standard deviation of the busy leases below this says nothing. */
    private static final double LEAST_SPREAD = 0.2;
    /** Where arrivals explain less than this share of how many leases are busy, they say nothing of their effect. */
    private static final double LEAST_EXPLAINED = 0.1;

    private static final double MOST_FACTOR = 10;

    private final double[] busy;
    private final double atNone;
    private final double perLease;

    private LoadLine(double[] busy, double atNone, double perLease) {
        this.busy = busy;
        this.atNone = atNone;
        this.perLease = perLease;
    }

    static LoadLine of(List<Recording> recordings) {
        long length =
                recordings.stream().mapToLong(Recording::lengthNanos).max().orElse(0);
        int bins = (int) (length / BIN_NANOS) + 1;
        double[] busy = new double[bins];
        double[] relative = new double[bins];
        double[] weights = new double[bins];
        double[] arrived = new double[bins];
        for (Recording recording : recordings) {
            long late = length - recording.lengthNanos(); // aligned at their ends
            double mean = meanNanos(recording.arrivals());
            double work = workNanos(recording.arrivals());
            for (Arrival arrival : recording.arrivals()) {
                arrived[Math.clamp((late + arrival.atNanos()) / BIN_NANOS, 0, bins - 1)] += work;
                if (!arrival.refused()) {
                    long begin = late + arrival.atNanos() + arrival.waitedNanos();
                    spread(busy, begin, arrival.holdNanos(), arrival.busyNanos());
                    int bin = Math.clamp(begin / BIN_NANOS, 0, bins - 1);
                    relative[bin] += arrival.busyNanos() / mean;
                    weights[bin] += arrival.requests();
                }
            }
        }
        return fit(busy, relative, weights, arrived);
    }

    /** What one arrival asks of the server, on average: domains of heavy leases count for more. */
    private static double workNanos(List<Arrival> arrivals) {
        return arrivals.stream()
                .filter(arrival -> !arrival.refused())
                .mapToLong(Arrival::busyNanos)
                .average()
                .orElse(0);
    }

    private static double meanNanos(List<Arrival> arrivals) {
        double nanos = 0;
        double requests = 0;
        for (Arrival arrival : arrivals) {
            nanos += arrival.busyNanos();
            requests += arrival.requests();
        }
        return requests == 0 ? 1 : Math.max(1, nanos / requests);
    }

    /** Adds a lease's busy time to the bins that its hold covers, evenly. */
    private static void spread(double[] busy, long begin, long holdNanos, long busyNanos) {
        double share = holdNanos <= 0 ? 0 : (double) busyNanos / holdNanos;
        for (long at = begin; at < begin + holdNanos; ) {
            int bin = (int) (at / BIN_NANOS);
            long end = Math.min(begin + holdNanos, (bin + 1L) * BIN_NANOS);
            if (bin >= 0 && bin < busy.length) {
                busy[bin] += share * (end - at) / BIN_NANOS;
            }
            at = end;
        }
    }

    private static LoadLine fit(double[] busy, double[] relative, double[] weights, double[] arrived) {
        double n = 0;
        double sx = 0;
        double sy = 0;
        double sz = 0;
        int used = 0;
        for (int i = 0; i < busy.length; i++) {
            n += weights[i];
            sx += weights[i] * busy[i];
            sy += relative[i];
            sz += weights[i] * arrived[i];
            used += weights[i] > 0 ? 1 : 0;
        }
        if (used < LEAST_BINS) {
            return new LoadLine(busy, 1, 0);
        }
        double mx = sx / n;
        double my = sy / n;
        double mz = sz / n;
        double sxx = 0;
        double szz = 0;
        double sxz = 0;
        double syz = 0;
        for (int i = 0; i < busy.length; i++) {
            if (weights[i] > 0) {
                double x = busy[i] - mx;
                double z = arrived[i] - mz;
                sxx += weights[i] * x * x;
                szz += weights[i] * z * z;
                sxz += weights[i] * x * z;
                syz += weights[i] * (relative[i] / weights[i] - my) * z;
            }
        }
        boolean tells = Math.sqrt(sxx / n) >= LEAST_SPREAD && sxz > 0 && sxz * sxz >= LEAST_EXPLAINED * sxx * szz;
        double slope = tells ? syz / sxz : 0;
        return slope > 0 ? new LoadLine(busy, Math.max(0.05, my - slope * mx), slope) : new LoadLine(busy, 1, 0);
    }

    /** Busy leases in the record, at an instant since its begin. */
    double busyAt(long atNanos) {
        return busy[Math.clamp(atNanos / BIN_NANOS, 0, busy.length - 1)];
    }

    /** How many times as long as recorded a request takes, with so many busy leases then and now. */
    double factor(double recordedBusy, double busyNow) {
        return Math.clamp(
                (atNone + perLease * busyNow) / (atNone + perLease * recordedBusy), 1 / MOST_FACTOR, MOST_FACTOR);
    }

    /** Whether the record says that load matters. */
    public boolean isFlat() {
        return perLease == 0;
    }

    /** How much longer requests take with each further busy lease, relative to one on an idle server; 0 where flat. */
    public double slowdownPerLease() {
        return perLease / atNone;
    }
}
