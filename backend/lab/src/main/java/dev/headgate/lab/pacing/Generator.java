package dev.headgate.lab.pacing;

/** Makes the arrivals of a load. Safe for use by several threads; no call blocks. */
public interface Generator {

    /** Starts the arrivals, and the load's course from its begin. Has no effect while it is running. */
    void start();

    /** Stops the arrivals. None is due after this returns, until the next {@link #start}. */
    void stop();

    /** False also when the course is over. */
    boolean isRunning();

    /** When it was started last, on the monotonic clock; when it was made, if it never was. */
    long startedNanos();

    /** How long it has run since it was started last. */
    long elapsedNanos();
}
