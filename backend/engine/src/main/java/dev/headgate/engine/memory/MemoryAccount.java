package dev.headgate.engine.memory;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * One account for all memory whose size somebody outside decides: texts that clients prepare, messages and bodies that are
 * gathered before they can be understood. Whoever holds such memory reserves its bytes first, and does without where the
 * account refuses. So the sum of what everybody may make the process hold is known and bounded.
 *
 * <p>An account has parts, one for each purpose and domain, and a part has one {@link Share} for each caller. A reservation
 * must fit into all three. So one caller cannot use up its domain's part, nor a domain the account.
 *
 * <p>It counts; it allocates nothing. Safe for use by any number of threads; nothing blocks. A reservation costs three
 * atomic additions.
 */
public final class MemoryAccount {

    /** A domain's part, and a caller's share of that: one in so many. */
    private static final int PARTS = 2;

    private static final int CALLERS = 2;

    private final long most;
    private final AtomicLong reserved = new AtomicLong();
    private final LongAdder refused = new LongAdder();
    private final ConcurrentMap<String, Part> parts = new ConcurrentHashMap<>();

    /** @param most bytes that may be reserved in all */
    public MemoryAccount(long most) {
        if (most <= 0) {
            throw new IllegalArgumentException("an account of " + most + " bytes");
        }
        this.most = most;
    }

    /** An account of a quarter of the heap. */
    public static MemoryAccount ofHeap() {
        return new MemoryAccount(Math.max(1, Runtime.getRuntime().maxMemory() / 4));
    }

    /**
     * What one part of the account comes to.
     *
     * @param name what it is for ("wire/bank")
     * @param refused how often something did not fit
     */
    public record Line(String name, long reserved, long most, long refused) {}

    /** Bytes for one purpose, of which all callers have shares. Half of the account at most. */
    private final class Part {
        private final String name;
        private final AtomicLong reserved = new AtomicLong();
        private final LongAdder refused = new LongAdder();
        private final long most = Math.max(1, MemoryAccount.this.most / PARTS);

        Part(String name) {
            this.name = name;
        }
    }

    /** One caller's bytes. Used by one thread at a time; {@link #close} gives back all of them. */
    public final class Share implements AutoCloseable {
        private final Part part;
        private final AtomicLong reserved = new AtomicLong();
        private volatile boolean closed;

        private Share(Part part) {
            this.part = part;
        }

        /** The most bytes that it may ever hold. */
        public long most() {
            return part.most / CALLERS;
        }

        /** Reserves so many bytes more, all or none; none once it is closed. */
        public boolean tryReserve(long bytes) {
            if (closed) {
                return false;
            }
            if (!add(reserved, bytes, most())) {
                return refuse();
            }
            if (!add(part.reserved, bytes, part.most)) {
                reserved.addAndGet(-bytes);
                return refuse();
            }
            if (!add(MemoryAccount.this.reserved, bytes, MemoryAccount.this.most)) {
                reserved.addAndGet(-bytes);
                part.reserved.addAndGet(-bytes);
                return refuse();
            }
            return true;
        }

        /** Reserves so many bytes more whatever the bounds: for what is held already. */
        public void reserve(long bytes) {
            release(-bytes);
        }

        private boolean refuse() {
            part.refused.increment();
            refused.increment();
            return false;
        }

        /** Gives so many bytes back. Does nothing once it is closed. */
        public void release(long bytes) {
            if (closed) {
                return;
            }
            reserved.addAndGet(-bytes);
            part.reserved.addAndGet(-bytes);
            MemoryAccount.this.reserved.addAndGet(-bytes);
        }

        public long reserved() {
            return reserved.get();
        }

        @Override
        public void close() {
            release(reserved.get());
            closed = true;
        }
    }

    private static boolean add(AtomicLong sum, long bytes, long most) {
        for (long before = sum.get(); before + bytes <= most; before = sum.get()) {
            if (sum.compareAndSet(before, before + bytes)) {
                return true;
            }
        }
        return false;
    }

    /**
     * A share of a part.
     *
     * @param part made when it is first asked for, and kept
     */
    public Share share(String part) {
        return new Share(parts.computeIfAbsent(part, Part::new));
    }

    /** Bytes that are reserved at present. */
    public long reserved() {
        return reserved.get();
    }

    public long most() {
        return most;
    }

    /** How often something did not fit. */
    public long refused() {
        return refused.sum();
    }

    /** What each part comes to, by name. */
    public List<Line> lines() {
        return parts.values().stream()
                .map(part -> new Line(part.name, part.reserved.get(), part.most, part.refused.sum()))
                .sorted((a, b) -> a.name().compareTo(b.name()))
                .toList();
    }
}
