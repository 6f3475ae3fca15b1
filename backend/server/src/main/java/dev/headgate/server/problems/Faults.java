package dev.headgate.server.problems;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Gathers the faults of one request. Keeps the first {@value #MOST} and counts the others: nobody reads more at once, and a small body
 * can have a fault at each of its bytes. With the bounds of a {@link Fault} that bounds an answer, however large the request is. Used by
 * one thread.
 */
public final class Faults {

    /** How many are kept. */
    public static final int MOST = 100;

    private final List<Fault> kept = new ArrayList<>();
    private int found;

    public void add(Fault fault) {
        if (found++ < MOST) {
            kept.add(fault);
        }
    }

    public void addAll(Collection<Fault> faults) {
        faults.forEach(this::add);
    }

    public boolean isEmpty() {
        return found == 0;
    }

    /** Whether as many are kept as may be; what is found from now on is only counted. */
    public boolean isFull() {
        return found >= MOST;
    }

    /** How many were added, also beyond those that are kept. */
    public int found() {
        return found;
    }

    /** A copy of those that are kept, in the order in which they were added. */
    public List<Fault> list() {
        return List.copyOf(kept);
    }

    /** How many there are, in words. */
    String counted() {
        if (isFull()) {
            return MOST + " faults or more; these are the first " + MOST;
        }
        return found == 1 ? "1 fault" : found + " faults";
    }
}
