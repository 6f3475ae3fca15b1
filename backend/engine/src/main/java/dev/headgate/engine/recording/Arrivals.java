package dev.headgate.engine.recording;

import dev.headgate.engine.recording.Recording.Arrival;
import java.util.AbstractList;
import java.util.Objects;
import java.util.RandomAccess;

/**
 * Arrivals in columns: {@value #ARRIVAL_BYTES} bytes each, where an object takes more than twice as many. An element is made when
 * it is asked for. Filled once, by the recorder, and unchangeable from then on.
 */
final class Arrivals extends AbstractList<Arrival> implements RandomAccess {

    static final int ARRIVAL_BYTES = 24;

    private static final long MICRO = 1_000;

    private final long[] atNanos;
    private final int[] waitedMicros;
    private final int[] holdMicros;
    private final int[] busyMicros;
    private final int[] requests;

    Arrivals(int size) {
        this.atNanos = new long[size];
        this.waitedMicros = new int[size];
        this.holdMicros = new int[size];
        this.busyMicros = new int[size];
        this.requests = new int[size];
    }

    void fill(int index, long at, int waited, int hold, int busy, int number) {
        atNanos[index] = at;
        waitedMicros[index] = waited;
        holdMicros[index] = hold;
        busyMicros[index] = busy;
        requests[index] = number;
    }

    @Override
    public Arrival get(int index) {
        return new Arrival(
                atNanos[Objects.checkIndex(index, size())],
                waitedMicros[index] * MICRO,
                holdMicros[index] * MICRO,
                busyMicros[index] * MICRO,
                requests[index]);
    }

    @Override
    public int size() {
        return atNanos.length;
    }
}
