package dev.headgate.server.live;

import dev.headgate.engine.memory.MemoryAccount;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.web.socket.CloseStatus;
import tools.jackson.databind.json.JsonMapper;

/**
 * Holds the messages for one client until they are sent.
 *
 * <p>The feed's thread puts in, the client's own thread takes out, and neither ever waits for the other for longer than
 * it takes to move a reference. What makes a slow reader harmless is that the mailbox does not grow with time:
 *
 * <ul>
 *   <li>Of values there is one <i>slice</i>. A second one that comes before the first was taken is merged into it: the
 *       later state of each pool, and both measurements as one distribution. However long a client was away, it gets one
 *       delta, whose percentiles are those of all requests since its last frame. One that was away for more than {@link
 *       #MOST_SECONDS} seconds, or whose slice took more than {@link #MOST_MERGES} merges of a pool, gets a snapshot instead, which holds
 *       the seconds it has missed. So a client that wants everything and reads nothing costs no time after some seconds.
 *   <li>Of snapshots there is at most one, as a flag: it is made when it is sent, so it is never old. A client may have {@link
 *       #SNAPSHOTS} at once, as someone who walks from page to page needs, and then one each {@link #SNAPSHOT_NANOS} (a leaky bucket):
 *       the next one waits until it is due, and everything else waits with it.
 *   <li>Events are kept, all of them and in order, because each says something that no later one repeats. (A decision
 *       that is told again with a larger count does repeat, and takes the place of its earlier telling.) A client that
 *       lets {@link #MOST_EVENTS} pile up is given up: its mailbox is emptied and it is closed with {@link #TOO_SLOW}.
 * </ul>
 *
 * <p>What waits, and a subscription of many names, is reserved from the memory account. Where there is no room, the slice gives way to
 * a snapshot, and a client for whose events there is none is given up.
 *
 * <p>Sequence numbers are not made here. The client's thread gives them as it sends, so a gap cannot come from anything
 * that is dropped or merged here; the client sees one only if a frame was lost after it.
 *
 * <p>Before the first subscription nothing is kept. A new subscription forgets the slice, which belongs to the old one,
 * and asks for a snapshot; events stay.
 */
final class Mailbox {

    static final int MOST_EVENTS = 1_000;
    static final int MOST_SECONDS = 60;
    static final int MOST_MERGES = 5_000;
    static final long SNAPSHOT_NANOS = 1_000_000_000;
    static final int SNAPSHOTS = 5;
    static final CloseStatus TOO_SLOW =
            new CloseStatus(4408, "more than " + MOST_EVENTS + " events piled up unread; connect again for a snapshot");

    static final CloseStatus NO_ROOM =
            new CloseStatus(4408, "there is no memory for more unread events; connect again for a snapshot");

    /** 1013, "try again later". */
    static final CloseStatus NO_ROOM_FOR_NAMES =
            CloseStatus.SERVICE_OVERLOAD.withReason("there is no memory for this subscription now; try again later");

    /** An estimate of an event's bytes. */
    static final long EVENT_BYTES = 1_024;

    /**
     * The whole content, taken at once.
     *
     * @param subscription that it was collected for; null before the first
     * @param snapshot whether a snapshot is due, to be sent before the rest
     * @param close set if the session ends without further frames
     */
    record Mail(
            @Nullable Subscription subscription,
            boolean snapshot,
            List<Event> events,
            @Nullable Slice slice,
            @Nullable CloseStatus close) {

        boolean isEmpty() {
            return !snapshot && events.isEmpty() && slice == null && close == null;
        }
    }

    private final JsonMapper mapper;
    private final StreamCounts counts;
    private final LongSupplier nanoTime;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition mail = lock.newCondition();
    private final Deque<Event> events = new ArrayDeque<>();
    private @Nullable Subscription subscription;
    private boolean snapshot;

    /** Until when the snapshots that were taken would have lasted at one each {@link #SNAPSHOT_NANOS}; null if none was. */
    private @Nullable Long paidNanos;

    private @Nullable Slice slice;

    /** How many pools have been merged into the slice. */
    private int merges;

    private @Nullable CloseStatus close;
    private final ClientMemory memory;

    /** Where the bytes are reserved. */
    private MemoryAccount.Share room;

    /** The bytes reserved for the subscription, the waiting slice and events. */
    private long reserved;

    /** @param memory of the client; it is closed by the client's thread */
    Mailbox(JsonMapper mapper, StreamCounts counts, ClientMemory memory) {
        this(mapper, counts, memory, System::nanoTime);
    }

    Mailbox(JsonMapper mapper, StreamCounts counts, ClientMemory memory, LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.mapper = mapper;
        this.counts = counts;
        this.memory = memory;
        this.room = memory.of(null);
    }

    /** The client's subscription; null before the first. */
    @Nullable
    Subscription subscription() {
        lock.lock();
        try {
            return subscription;
        } finally {
            lock.unlock();
        }
    }

    void subscribe(Subscription wanted) {
        lock.lock();
        try {
            if (close != null) {
                return;
            }
            subscription = wanted;
            snapshot = true;
            slice = null;
            if (!settle()) {
                end(NO_ROOM_FOR_NAMES);
            }
            mail.signal();
        } finally {
            lock.unlock();
        }
    }

    void offer(Slice newer) {
        lock.lock();
        try {
            if (subscription == null || close != null || snapshot) {
                return;
            }
            Slice wanted = newer.of(subscription);
            if (!wanted.isEmpty()) {
                if (slice == null) {
                    slice = wanted;
                    merges = 0;
                } else {
                    slice = slice.plus(wanted, mapper);
                    merges += wanted.domains().size();
                    counts.merged();
                }
                if (slice.length() > MOST_SECONDS || merges > MOST_MERGES || !settle()) {
                    slice = null;
                    snapshot = true;
                    boolean _ = settle();
                }
                mail.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    void offer(Event event) {
        lock.lock();
        try {
            if (subscription == null || close != null || !subscription.coversEvents(event.about())) {
                return;
            }
            withdraw(event);
            events.addLast(event);
            boolean tooMany = events.size() > MOST_EVENTS;
            if (tooMany || !settle()) {
                end(tooMany ? TOO_SLOW : NO_ROOM);
                counts.tooSlow();
            }
            mail.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Ends the session after the current frame. The first reason counts. */
    void close(CloseStatus reason) {
        lock.lock();
        try {
            if (close == null) {
                end(reason);
                mail.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Whether the session should end. */
    boolean closing() {
        lock.lock();
        try {
            return close != null;
        } finally {
            lock.unlock();
        }
    }

    /** Takes the whole content. Waits for some up to the given time; empty if there was none, or none that is due. */
    Mail take(long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = nanos;
            long pause = untilDue();
            while (left > 0 && pause > 0) {
                long most = Math.min(left, pause);
                left -= most - mail.awaitNanos(most);
                pause = untilDue();
            }
            if (pause > 0) {
                return new Mail(subscription, false, List.of(), null, null);
            }
            Mail taken = new Mail(subscription, snapshot, new ArrayList<>(events), slice, close);
            if (snapshot) {
                long now = nanoTime.getAsLong();
                paidNanos = Math.max(now, paidNanos == null ? now : paidNanos) + SNAPSHOT_NANOS;
            }
            snapshot = false;
            slice = null;
            events.clear();
            boolean _ = settle();
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /** The time until the content may be taken; 0 if it may, the longest there is if there is no content. */
    private long untilDue() {
        if (close != null) {
            return 0;
        }
        if (snapshot) {
            Long paid = paidNanos;
            return paid == null ? 0 : Math.max(0, paid - (SNAPSHOTS - 1) * SNAPSHOT_NANOS - nanoTime.getAsLong());
        }
        return events.isEmpty() && slice == null ? Long.MAX_VALUE : 0;
    }

    /** Removes an earlier event of the same decision. Few events wait. */
    private void withdraw(Event event) {
        if (event instanceof Event.Decided repeated && repeated.decision().count() > 1) {
            Iterator<Event> waiting = events.descendingIterator();
            while (waiting.hasNext()) {
                if (waiting.next() instanceof Event.Decided known
                        && known.decision().id().equals(repeated.decision().id())) {
                    waiting.remove();
                    return;
                }
            }
        }
    }

    private void end(CloseStatus reason) {
        close = reason;
        subscription = null;
        snapshot = false;
        slice = null;
        events.clear();
        boolean _ = settle();
    }

    /** Adjusts the reservation to the content. False, without a change, if there is no room. */
    private boolean settle() {
        long wanted = events.size() * EVENT_BYTES
                + (slice == null ? 0 : slice.bytes())
                + (subscription == null ? 0 : subscription.bytes());
        MemoryAccount.Share right = memory.of(subscription);
        if (right != room) {
            if (!right.tryReserve(wanted)) {
                return false;
            }
            room.release(reserved);
            room = right;
        } else if (wanted > reserved) {
            if (!room.tryReserve(wanted - reserved)) {
                return false;
            }
        } else {
            room.release(reserved - wanted);
        }
        reserved = wanted;
        return true;
    }
}
