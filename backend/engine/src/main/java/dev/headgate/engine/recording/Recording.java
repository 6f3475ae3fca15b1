package dev.headgate.engine.recording;

import java.time.Instant;
import java.util.List;

/**
 * A stretch of one pool's past: every request for a lease that came in it, in the order of arrival.
 *
 * @param from when the stretch begins; {@link Arrival#atNanos} counts from here
 * @param lengthNanos how long it is; shorter than was asked for where the recorder does not reach back so far
 * @param sizes connections the pool held, once per window, the last one at the stretch's end
 */
public record Recording(String domain, Instant from, long lengthNanos, List<Arrival> arrivals, List<Integer> sizes) {

    /**
     * One request for a lease.
     *
     * @param atNanos its arrival, since the recording's begin
     * @param waitedNanos until its lease, or until it was refused
     * @param holdNanos from its lease to the end of its last request on the server; 0 where it was refused
     * @param busyNanos how much of this its requests were under way; the rest the application spent between them
     * @param requests how many there were; 0 where it was refused
     */
    public record Arrival(long atNanos, long waitedNanos, long holdNanos, long busyNanos, int requests) {

        public boolean refused() {
            return requests == 0;
        }
    }

    public Recording {
        arrivals = List.copyOf(arrivals);
        sizes = List.copyOf(sizes);
    }
}
