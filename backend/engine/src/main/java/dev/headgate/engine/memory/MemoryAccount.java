package dev.headgate.engine.memory;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * One account for all memory whose size is decided from outside: statements that clients prepare, and messages and bodies
 * that must be complete before they can be read. A holder of such memory reserves its bytes first, and does without if the
 * account refuses. So the total is known and bounded.
 *
 * <p>An account has one part for each purpose and domain, and a part has one {@link Share} for each caller. A reservation
 * must fit into all three. So a caller cannot use up its domain's part, and a domain cannot use up the account.
 *
 * <p>It counts and allocates nothing. Safe for any number of threads; nothing blocks. A reservation costs three atomic
 * additions.
 */
public final class MemoryAccount {

    /** Divisor for a domain's part of the account, and for a caller's share of that part. */
    private static final int PARTS = 2;

    private static final int CALLERS = 2;

    private final long most;
    private final AtomicLong reserved = new AtomicLong();
    private final LongAdder refused = new LongAdder();
    private final ConcurrentMap<String, Part> parts = new ConcurrentHashMap<>();

    /** @param most the most bytes that may be reserved in total */
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
     * The figures of one part of the account.
     *
     * @param name what it is for ("wire/bank")
     * @param refused the number of refused reservations
     */
    public record Line(String name, long reserved, long most, long refused) {}

    /** Bytes for one purpose, shared by all its callers. At most half of the account. */
    private final class Part {
        private final String name;
        private final AtomicLong reserved = new AtomicLong();
        private final LongAdder refused = new LongAdder();
        private final long most = Math.max(1, MemoryAccount.this.most / PARTS);

        Part(String name) {
            this.name = name;
        }
    }

    /** One caller's bytes. Used by one thread at a time. {@link #close} releases all of them. */
    public final class Share implements AutoCloseable {
        private final Part part;
        private final AtomicLong reserved = new AtomicLong();
        private volatile boolean closed;

        private Share(Part part) {
            this.part = part;
        }

        /** The most bytes that it may hold. */
        public long most() {
            return part.most / CALLERS;
        }

        /** Reserves further bytes: all of them or none. Reserves none after {@link #close}. */
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

        /** Reserves further bytes without regard to the bounds, for memory that is held already. */
        public void reserve(long bytes) {
            release(-bytes);
        }

        private boolean refuse() {
            part.refused.increment();
            refused.increment();
            return false;
        }

        /** Releases bytes. Does nothing after {@link #close}. */
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
     * @param part the part's name; it is created on first use and kept
     */
    public Share share(String part) {
        return new Share(parts.computeIfAbsent(part, Part::new));
    }

    /** The bytes that are reserved now. */
    public long reserved() {
        return reserved.get();
    }

    public long most() {
        return most;
    }

    /** The number of refused reservations. */
    public long refused() {
        return refused.sum();
    }

    /** The figures of each part, by name. */
    public List<Line> lines() {
        return parts.values().stream()
                .map(part -> new Line(part.name, part.reserved.get(), part.most, part.refused.sum()))
                .sorted((a, b) -> a.name().compareTo(b.name()))
                .toList();
    }
}
