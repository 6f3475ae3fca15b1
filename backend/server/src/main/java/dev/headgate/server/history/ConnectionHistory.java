package dev.headgate.server.history;

import dev.headgate.engine.Pool;
import dev.headgate.engine.memory.MemoryAccount;
import dev.headgate.engine.memory.MemoryAccount.Share;
import dev.headgate.engine.meter.ConnectionStatus;
import dev.headgate.engine.meter.LatencySummary;
import dev.headgate.server.HeadgateProperties;
import dev.headgate.server.api.Second;
import dev.headgate.server.history.ConnectionPeriod.Cell;
import dev.headgate.server.limits.Holders;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * The last five minutes of every connection, in memory: for {@link ConnectionArchive}, which stores them, and for readers of what is
 * not stored yet. The memory is reserved from the account: without room the oldest seconds of the domain go. Written on the feed's
 * thread, read by any.
 */
@Component
class ConnectionHistory implements SecondListener {

    static final int SECONDS = 300;

    private final MemoryAccount account;
    private final boolean stored;
    private final LongAdder lost = new LongAdder();
    private final Map<String, Kept> domains = new ConcurrentHashMap<>();

    ConnectionHistory(MemoryAccount account, HeadgateProperties properties) {
        this.account = account;
        this.stored = properties.history().connections().isPositive();
    }

    /** The connections of one second. The columns have one entry per connection. */
    private static final class Entry {

        private final long start;
        private final String[] id;
        private final long[] requests;
        private final int[] micros;
        private final int[] p99Micros;
        private final int[] busyMillis;

        Entry(long start, List<ConnectionStatus> all) {
            this.start = start;
            this.id = all.stream().map(ConnectionStatus::id).toArray(String[]::new);
            this.requests =
                    all.stream().mapToLong(each -> each.second().count()).toArray();
            this.micros = column(all, second -> second.meanNanos() * (double) second.count() / 1e3);
            this.p99Micros = column(all, second -> (double) second.p99Nanos() / 1e3);
            this.busyMillis = column(all, second -> second.busy() * 1e3);
        }

        /** Durations of more than half an hour are cut. */
        private static int[] column(List<ConnectionStatus> all, ToDoubleFunction<LatencySummary> figure) {
            return all.stream()
                    .mapToInt(each -> (int) Math.min(Integer.MAX_VALUE, Math.rint(figure.applyAsDouble(each.second()))))
                    .toArray();
        }

        /** With the headers of its arrays. The names are the connections' own. */
        long bytes() {
            return 160 + 28L * id.length;
        }

        ConnectionPeriod toPeriod() {
            List<Cell> cells = new ArrayList<>(id.length);
            for (int at = 0; at < id.length; at++) {
                cells.add(new Cell(id[at], 1, requests[at], micros[at], p99Micros[at], busyMillis[at]));
            }
            return new ConnectionPeriod(start, cells);
        }
    }

    private final class Kept {
        private final Pool pool;
        private final Share memory;
        private final ArrayDeque<Entry> entries = new ArrayDeque<>();
        private @Nullable Integer series;
        private long writtenUntil;

        Kept(Pool pool, Share memory) {
            this.pool = pool;
            this.memory = memory;
        }

        @SuppressWarnings("ReferenceEquality") // a domain may be deleted and created again under its name
        boolean isOf(Pool other) {
            return pool == other;
        }

        synchronized void add(Entry entry) {
            while (!entries.isEmpty() && entries.getFirst().start <= entry.start - SECONDS) {
                dropOldest();
            }
            while (!memory.tryReserve(entry.bytes())) {
                if (entries.isEmpty()) {
                    lost.add(stored ? 1 : 0);
                    return;
                }
                dropOldest();
            }
            entries.addLast(entry);
        }

        private void dropOldest() {
            Entry oldest = entries.removeFirst();
            memory.release(oldest.bytes());
            lost.add(stored && oldest.start >= writtenUntil ? 1 : 0);
        }

        synchronized List<Entry> entries() {
            return List.copyOf(entries);
        }

        synchronized boolean endedBefore(long second) {
            return entries.isEmpty() || entries.getLast().start < second;
        }

        synchronized @Nullable Unwritten unwritten(String domain, long until) {
            List<ConnectionPeriod> seconds = entries.stream()
                    .filter(each -> each.start >= writtenUntil && each.start < until)
                    .map(Entry::toPeriod)
                    .toList();
            return seconds.isEmpty() ? null : new Unwritten(this, domain, Optional.ofNullable(series), seconds);
        }

        synchronized int series() {
            return series == null ? -1 : series;
        }

        synchronized void belongsTo(int number) {
            series = number;
        }

        synchronized void writtenUntil(long second) {
            writtenUntil = second;
        }
    }

    /** Seconds of a domain that are not in the store yet, oldest first; at least one. */
    static final class Unwritten {
        private final Kept kept;
        private final String domain;
        private final Optional<Integer> series;
        private final List<ConnectionPeriod> seconds;

        private Unwritten(Kept kept, String domain, Optional<Integer> series, List<ConnectionPeriod> seconds) {
            this.kept = kept;
            this.domain = domain;
            this.series = series;
            this.seconds = seconds;
        }

        String domain() {
            return domain;
        }

        /** What the store calls the series; empty until {@link #belongsTo}. */
        Optional<Integer> series() {
            return series;
        }

        List<ConnectionPeriod> seconds() {
            return seconds;
        }

        void belongsTo(int number) {
            kept.belongsTo(number);
        }

        /** They are in the store now. */
        void written() {
            kept.writtenUntil(seconds.getLast().start() + 1);
        }
    }

    /**
     * What is in memory of a domain.
     *
     * @param series what the store calls it; -1 if it has nothing of it yet
     */
    record InMemory(int series, List<ConnectionPeriod> seconds) {}

    @Override
    public void second(Pool pool, Second second) {
        long end = second.time().getEpochSecond();
        domains.compute(pool.domain(), (domain, before) -> {
                    if (before != null && before.isOf(pool)) {
                        return before;
                    }
                    if (before != null) {
                        before.memory.close();
                    }
                    return new Kept(pool, account.share(Holders.HISTORY, domain));
                })
                .add(new Entry(end - 1, pool.connections()));
        if (end % 60 == 0) {
            forget(end - 1 - SECONDS);
        }
    }

    /** Forgets the domains that are gone. */
    private void forget(long before) {
        domains.values().removeIf(kept -> {
            boolean gone = kept.endedBefore(before);
            if (gone) {
                kept.memory.close();
            }
            return gone;
        });
    }

    /** Seconds of domains that left the memory before they could be stored. They are gaps in the history. */
    long lost() {
        return lost.sum();
    }

    /** The seconds of every domain that begin before an instant and are not stored, in seconds since the epoch. Does not block. */
    List<Unwritten> unwritten(long until) {
        List<Unwritten> unwritten = new ArrayList<>();
        domains.forEach((domain, kept) -> {
            Unwritten its = kept.unwritten(domain, until);
            if (its != null) {
                unwritten.add(its);
            }
        });
        return unwritten;
    }

    /** The seconds of a domain from one instant to another, oldest first; both in seconds since the epoch. Does not block. */
    InMemory of(String domain, long from, long to) {
        Kept kept = domains.get(domain);
        return kept == null
                ? new InMemory(-1, List.of())
                : new InMemory(
                        kept.series(),
                        kept.entries().stream()
                                .filter(each -> each.start >= from && each.start < to)
                                .map(Entry::toPeriod)
                                .toList());
    }

    /** The last five minutes of a domain's connections; nothing of a domain that has not been measured. Does not block. */
    ConnectionHistoryJson of(String domain) {
        ConnectionGrid grid = new ConnectionGrid(1, null);
        of(domain, 0, Long.MAX_VALUE).seconds().forEach(grid::add);
        return grid.toJson();
    }

    /** How many figures an answer has, about. */
    long figures(String domain) {
        Kept kept = domains.get(domain);
        return kept == null
                ? 0
                : 4L
                        * kept.entries().stream()
                                .mapToInt(entry -> entry.id.length)
                                .sum();
    }
}
