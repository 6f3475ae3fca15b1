package dev.headgate.engine.recording;

import java.time.Instant;
import java.util.List;

/**
 * An interval of one pool's past: every lease request in it, in the order of arrival.
 *
 * @param from the start of the interval; {@link Arrival#atNanos} counts from here
 * @param lengthNanos its length; shorter than requested if the recorder does not reach back far enough
 * @param sizes the pool's connections, once per window, the last at the end of the interval
 */
public record Recording(String domain, Instant from, long lengthNanos, List<Arrival> arrivals, List<Integer> sizes) {

    /**
     * One request for a lease.
     *
     * @param atNanos its arrival, since the start of the recording
     * @param waitedNanos until its lease, or until it was refused
     * @param holdNanos from its lease to the end of its last request on the server; 0 if it was refused
     * @param busyNanos the part of this time with a request in progress; the application spent the rest between requests
     * @param requests the number of its requests; 0 if it was refused
     */
    public record Arrival(long atNanos, long waitedNanos, long holdNanos, long busyNanos, int requests) {

        public boolean refused() {
            return requests == 0;
        }
    }

    public Recording {
        arrivals = arrivals instanceof Arrivals ? arrivals : List.copyOf(arrivals);
        sizes = List.copyOf(sizes);
    }
}
