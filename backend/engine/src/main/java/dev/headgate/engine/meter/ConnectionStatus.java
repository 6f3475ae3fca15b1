package dev.headgate.engine.meter;

import java.util.Optional;

/**
 * One physical connection at one instant.
 *
 * @param id constant for the connection's life ("bank-31")
 * @param ageNanos since its socket was opened
 * @param requests since connect
 * @param errors requests answered with an error, since connect
 * @param sinceConnect latency since connect
 * @param second latency over the last full second, which the API, the stream and the history all tell of
 * @param backendPid the server process that serves it; 0 while opening
 * @param lease the current lease
 */
public record ConnectionStatus(
        String id,
        State state,
        long ageNanos,
        long requests,
        long errors,
        long bytesIn,
        long bytesOut,
        LatencySummary sinceConnect,
        LatencySummary second,
        int backendPid,
        Optional<LeaseStatus> lease) {

    /** What a connection is doing. */
    public enum State {
        OPENING("opening"),
        IDLE("idle"),
        ACTIVE("active"),
        IDLE_IN_TRANSACTION("idle in transaction"),
        CLOSING("closing");

        private final String label;

        State(String label) {
            this.label = label;
        }

        /** The text for people and the API. */
        public String label() {
            return label;
        }
    }

    /** A checkout: who holds the connection and for how long. Accurate to 100 ms until the first request. */
    public record LeaseStatus(String holder, long ageNanos) {}
}
