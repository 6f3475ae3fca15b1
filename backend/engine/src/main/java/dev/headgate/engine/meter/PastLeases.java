package dev.headgate.engine.meter;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The last leases of a connection that made requests. Whoever ends a lease writes, any thread reads. A slot is allocated once and
 * used again, so an ended lease costs a lock that nobody else wants, and a copy of at most {@value StatementText#MOST} bytes.
 */
final class PastLeases {

    private static final int MOST = 16;

    private static final class Slot {
        private String holder = "";
        private long began;
        private long heldNanos;
        private long requests;
        private final byte[] text = new byte[StatementText.MOST];
        private int length;
    }

    private final List<Slot> slots = new ArrayList<>(0);
    private int next;

    synchronized void add(Holder by, long began, long heldNanos, long requests, StatementText statement) {
        if (slots.size() < MOST) {
            slots.add(new Slot());
        }
        Slot slot = slots.get(next);
        next = (next + 1) % MOST;
        slot.holder = by.holder();
        slot.began = began;
        slot.heldNanos = heldNanos;
        slot.requests = requests;
        slot.length = statement.copy(by, slot.text);
    }

    /** Newest first. */
    synchronized List<PastLease> list(long nowNanos) {
        List<PastLease> all = new ArrayList<>(slots.size());
        for (int i = 1; i <= slots.size(); i++) {
            Slot slot = slots.get(Math.floorMod(next - i, MOST));
            all.add(new PastLease(
                    slot.holder,
                    nowNanos - slot.began,
                    slot.heldNanos,
                    slot.requests,
                    slot.length == 0 ? null : new String(slot.text, 0, slot.length, StandardCharsets.UTF_8)));
        }
        return all;
    }
}
