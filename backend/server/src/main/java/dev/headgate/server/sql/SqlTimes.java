package dev.headgate.server.sql;

/** The times of one request, from its arrival on. Belongs to one thread. */
final class SqlTimes {

    private static final double NANOS_PER_MILLI = 1e6;

    private final long began = System.nanoTime();
    private long firstByte = -1;
    private long firstRow = -1;
    private long waitedNanos;

    /** The first bytes leave. */
    void firstByte() {
        if (firstByte < 0) {
            firstByte = elapsed();
        }
    }

    /** The first row has come. */
    void firstRow() {
        if (firstRow < 0) {
            firstRow = elapsed();
        }
    }

    void waited(long nanos) {
        waitedNanos = nanos;
    }

    /** In nanoseconds; -1 if none has left. */
    long firstByteNanos() {
        return firstByte;
    }

    /** In nanoseconds; -1 if none has come. */
    long firstRowNanos() {
        return firstRow;
    }

    long waitedNanos() {
        return waitedNanos;
    }

    long elapsed() {
        return System.nanoTime() - began;
    }

    double elapsedMs() {
        return elapsed() / NANOS_PER_MILLI;
    }
}
