package dev.headgate.server.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The connections of a domain in one second, ten seconds or one minute, as the control store keeps them.
 *
 * @param start in seconds since the epoch
 * @param cells one for each connection that was open
 */
record ConnectionPeriod(long start, List<Cell> cells) {

    /**
     * One connection in one period. How a figure is rolled up stands here:
     *
     * @param id of the connection
     * @param seconds in which it was open and measured; added
     * @param requests that ended; added
     * @param micros the sum of their lengths; added, so that the mean is that of all requests
     * @param p99Micros the p99 of the worst second. The greatest stays: a distribution for each connection would take the disk of
     *     the domains' history
     * @param busyMillis the time that was spent on requests; added
     */
    record Cell(String id, int seconds, long requests, long micros, long p99Micros, long busyMillis) {

        Cell plus(Cell more) {
            return new Cell(
                    id,
                    seconds + more.seconds,
                    requests + more.requests,
                    micros + more.micros,
                    Math.max(p99Micros, more.p99Micros),
                    busyMillis + more.busyMillis);
        }
    }

    /** Rolls up periods of a finer resolution, each of another time. */
    static List<ConnectionPeriod> roll(List<ConnectionPeriod> finer, Resolution resolution) {
        Map<Long, Map<String, Cell>> sums = new TreeMap<>();
        for (ConnectionPeriod period : finer) {
            Map<String, Cell> its =
                    sums.computeIfAbsent(resolution.periodStart(period.start()), start -> new HashMap<>());
            period.cells().forEach(cell -> its.merge(cell.id(), cell, Cell::plus));
        }
        List<ConnectionPeriod> rolled = new ArrayList<>(sums.size());
        sums.forEach((start, its) -> rolled.add(new ConnectionPeriod(start, List.copyOf(its.values()))));
        return rolled;
    }
}
