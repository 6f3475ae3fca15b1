package dev.headgate.engine.memory;

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One account for all memory whose size is decided from outside: statements that clients prepare, messages and bodies that
 * must be complete before they can be read, records that are replayed, history, and what waits for a slow reader. Whoever
 * holds such memory reserves its bytes first, and does without if the account refuses. So the total is known and bounded.
 *
 * <h2>Who may have how much</h2>
 *
 * The account is divided among <i>holders</i>, one for each purpose ("wire", "http"), by a list of {@link Portion}s. A holder
 * has some bytes of its own, which no other holder can take, and borrows the rest, up to its most, from what is left. A holder
 * has a <i>party</i> for each domain or caller, and a party has a {@link Share} for each client, request or piece of work. A
 * reservation must fit into all of them: a client cannot use up its domain's part, nor a holder the account.
 *
 * <h2>How it counts</h2>
 *
 * Each of the four is a {@link Level} with an atomic sum, and what a level has beyond its own bytes it has from the level above
 * it. A level's changes are atomic and each passes on its difference, so the sums agree whatever the order of the threads, and
 * nothing is lost or counted twice.
 *
 * <p>It counts and allocates nothing. Safe for any number of threads. Nothing blocks, but {@link Share#tryReserve(long,
 * Duration)} and, for some nanoseconds, where two use one share or begin and end them.
 */
public final class MemoryAccount {

    private static final long PAUSE_NANOS = Duration.ofMillis(10).toNanos();

    private final long most;
    private final Level lent;
    private final Map<String, Holder> holders = new LinkedHashMap<>();

    /**
     * A holder's part of the account.
     *
     * @param holder its name
     * @param own the fraction of the account that no other holder can take
     * @param most the fraction that it may have in all
     * @param party the fraction that one of its parties may have
     * @param share the fraction that one share of a party may have
     */
    public record Portion(String holder, double own, double most, double party, double share) {}

    /**
     * How a holder stands.
     *
     * @param reserved bytes now
     * @param highest the most bytes that were ever reserved
     * @param most the most that may be
     * @param refused reservations that were refused
     */
    public record Line(String holder, long reserved, long highest, long most, long refused) {}

    /**
     * @param most the most bytes that may be reserved in total
     * @throws IllegalArgumentException if the account has no bytes, or the portions have more than all of it for their own
     */
    public MemoryAccount(long most, List<Portion> portions) {
        double own = portions.stream().mapToDouble(Portion::own).sum();
        if (most <= 0 || own > 1) {
            throw new IllegalArgumentException("an account of " + most + " bytes with portions " + portions);
        }
        this.most = most;
        long kept = portions.stream().mapToLong(portion -> part(portion.own())).sum();
        this.lent = new Level(null, 0, most - kept);
        portions.forEach(portion -> holders.put(portion.holder(), new Holder(portion)));
    }

    /** What an account has if nothing else is said. */
    public static long quarterOfHeap() {
        return Math.max(1, Runtime.getRuntime().maxMemory() / 4);
    }

    private long part(double fraction) {
        return (long) (most * fraction);
    }

    /** Reserved bytes with a bound, and the level that they are taken from. */
    private static class Level {
        private final @Nullable Level above;
        private final long own;
        private final long most;
        private final AtomicLong reserved = new AtomicLong();
        private final AtomicLong highest = new AtomicLong();

        Level(@Nullable Level above, long own, long most) {
            this.above = above;
            this.own = own;
            this.most = most;
        }

        /** Of so many bytes, those from the level above. */
        private long borrowed(long bytes) {
            return Math.max(0, bytes - own);
        }

        boolean tryAdd(long bytes) {
            long before = reserved.get();
            while (true) {
                if (bytes > most - before) {
                    return false;
                }
                if (reserved.compareAndSet(before, before + bytes)) {
                    break;
                }
                before = reserved.get();
            }
            long more = borrowed(before + bytes) - borrowed(before);
            if (above == null || more == 0 || above.tryAdd(more)) {
                if (before + bytes > highest.get()) {
                    highest.accumulateAndGet(before + bytes, Math::max);
                }
                return true;
            }
            // others may have come between: what they borrowed for these bytes, or did not, is settled here
            long after = reserved.addAndGet(-bytes);
            above.add(more - (borrowed(after + bytes) - borrowed(after)));
            return false;
        }

        /** Adds without regard to the bounds. */
        void add(long bytes) {
            if (bytes == 0) {
                return;
            }
            long after = reserved.addAndGet(bytes);
            if (above != null) {
                above.add(borrowed(after) - borrowed(after - bytes));
            }
        }
    }

    private final class Holder extends Level {
        private final String name;
        private final long mostOfParty;
        private final long mostOfShare;
        private final LongAdder refused = new LongAdder();
        private final Map<String, Party> parties = new HashMap<>();

        Holder(Portion portion) {
            super(lent, part(portion.own()), Math.max(1, part(portion.most())));
            this.name = portion.holder();
            this.mostOfParty = Math.max(1, part(portion.party()));
            this.mostOfShare = Math.max(1, part(portion.share()));
        }

        Share open(String party) {
            synchronized (parties) {
                Party found = parties.computeIfAbsent(party, key -> new Party(this, key));
                found.shares++;
                return new Share(found);
            }
        }

        void close(Party party) {
            synchronized (parties) {
                if (--party.shares == 0) {
                    parties.remove(party.name);
                }
            }
        }
    }

    /** Exists as long as it has a share. */
    private static final class Party extends Level {
        private final Holder holder;
        private final String name;
        private int shares;

        Party(Holder holder, String name) {
            super(holder, 0, holder.mostOfParty);
            this.holder = holder;
            this.name = name;
        }
    }

    /** The bytes of one client, request or piece of work. {@link #close} releases all of them. Safe for several threads. */
    public static final class Share implements AutoCloseable {
        private final Party party;
        private final Level level;
        private boolean closed;

        private Share(Party party) {
            this.party = party;
            this.level = new Level(party, 0, party.holder.mostOfShare);
        }

        /** The most bytes that it may hold. */
        public long most() {
            return level.most;
        }

        /** Reserves further bytes: all of them or none. Reserves none after {@link #close}. */
        public boolean tryReserve(long bytes) {
            return tryReserve(bytes, Duration.ZERO);
        }

        /**
         * Reserves further bytes, all of them or none, and waits for them if they are not there. Does not wait for what cannot
         * come: more than a share may have. An interrupt ends the waiting, and stays set.
         */
        public boolean tryReserve(long bytes, Duration patience) {
            long end = System.nanoTime() + patience.toNanos();
            while (!attempt(bytes)) {
                if (bytes > most() - reserved()
                        || System.nanoTime() - end >= 0
                        || Thread.currentThread().isInterrupted()) {
                    party.holder.refused.increment();
                    return false;
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            return true;
        }

        private synchronized boolean attempt(long bytes) {
            return !closed && level.tryAdd(bytes);
        }

        /** Reserves further bytes without regard to the bounds, for memory that is held already. */
        public void reserve(long bytes) {
            release(-bytes);
        }

        /** Releases bytes. Does nothing after {@link #close}. */
        public synchronized void release(long bytes) {
            if (!closed) {
                level.add(-bytes);
            }
        }

        public long reserved() {
            return level.reserved.get();
        }

        /** Whether more was {@linkplain #reserve reserved} than the share, its party, its holder or the account may have. */
        public boolean isExceeded() {
            for (Level each = level; each != null; each = each.above) {
                if (each.reserved.get() > each.most) {
                    return true;
                }
            }
            return false;
        }

        @Override
        public synchronized void close() {
            if (!closed) {
                level.add(-reserved());
                closed = true;
                party.holder.close(party);
            }
        }
    }

    /**
     * Opens a share.
     *
     * @param holder one of the account's
     * @param party the domain or the caller
     * @throws IllegalArgumentException if there is no such holder
     */
    public Share share(String holder, String party) {
        Holder found = holders.get(holder);
        if (found == null) {
            throw new IllegalArgumentException("the account has no holder " + holder + "; it has " + holders.keySet());
        }
        return found.open(party);
    }

    /** The bytes that are reserved now. */
    public long reserved() {
        return holders.values().stream()
                .mapToLong(holder -> ((Level) holder).reserved.get())
                .sum();
    }

    public long most() {
        return most;
    }

    /** How each holder stands, in the order of the portions. */
    public List<Line> lines() {
        return holders.values().stream().map(MemoryAccount::line).toList();
    }

    private static Line line(Holder holder) {
        Level level = holder;
        return new Line(holder.name, level.reserved.get(), level.highest.get(), level.most, holder.refused.sum());
    }
}
