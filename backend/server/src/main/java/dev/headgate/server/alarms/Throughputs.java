package dev.headgate.server.alarms;

import dev.headgate.lab.scaleup.Convoys;
import dev.headgate.spi.Window;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * How many requests ended at the domains of one server in each tenth of the last 30 seconds, and whether several of them stood still
 * together: a convoy, by the rule of {@link Convoys}.
 *
 * <p>Nobody stands still who has nothing to do. A tenth of a second in which a domain had no connection on lease for most of it counts as
 * usual, so users who pause together are no convoy. Nor does a domain that somebody has paused or drains.
 *
 * <p>Belongs to one thread. Needs 5 KB for each domain, and a millisecond for {@link #latest} while two or more domains are low.
 */
final class Throughputs {

    static final long SLOT_MILLIS = 100;
    static final int SLOTS = 300;

    /** More are not looked at: the busiest ones are. */
    private static final int MOST_DOMAINS = 50;

    /** Slots in which a new convoy can end: a look comes once a second. */
    private static final int NEW_SLOTS = 15;

    /** A shorter standstill is no news: on a machine whose processors are busy with something else it comes every few minutes. */
    private static final int LEAST_SLOTS = 5;

    /** A domain with fewer requests in a slot says nothing within a second. */
    private static final double LEAST_MEAN = 0.5;

    /** Less than this share of the usual is low. */
    private static final double LOW = 0.5;

    /** Connections on lease, from which on a domain has something to do. Those with a request under way are known only when it ends. */
    private static final double BUSY = 0.5;

    private final Map<String, Series> series = new LinkedHashMap<>();

    /**
     * Domains that stood still together.
     *
     * @param domains in order of their names, at least two
     * @param late how late Headgate itself was meanwhile, at most: so much longer than planned did a window take
     */
    record Standstill(Instant from, Instant to, List<String> domains, Duration late) {
        Standstill {
            domains = List.copyOf(domains);
        }
    }

    /** One domain. A slot is a tenth of a second since 1970. */
    private static final class Series {
        private final double[] ended = new double[SLOTS];

        /** Whether something was under way in the whole slot. */
        private final boolean[] busy = new boolean[SLOTS];

        /** How much longer than a slot the longest window took that it is a part of. */
        private final long[] lateMillis = new long[SLOTS];

        /** The last window's end. */
        private long endMillis;

        private boolean isLow;

        Series(long startMillis) {
            endMillis = startMillis;
        }

        void add(long toMillis, Window window, boolean held) {
            if (toMillis <= endMillis) {
                return; // the wall clock was set back
            }
            boolean works = !held && (window.meanInUse() >= BUSY || window.waiting() > 0);
            long oldest = (toMillis / SLOT_MILLIS - SLOTS + 1) * SLOT_MILLIS;
            long from = Math.max(endMillis, oldest);
            double each = window.latency().count() / (double) (toMillis - from);
            long late = Math.max(0, window.lengthNanos() / 1_000_000 - SLOT_MILLIS);
            for (long at = from; at < toMillis; ) {
                long slot = at / SLOT_MILLIS;
                long until = Math.min(toMillis, (slot + 1) * SLOT_MILLIS);
                int index = (int) (slot % SLOTS);
                if (at == slot * SLOT_MILLIS) {
                    ended[index] = 0;
                    busy[index] = works;
                    lateMillis[index] = 0;
                }
                ended[index] += each * (until - at);
                busy[index] &= works;
                lateMillis[index] = Math.max(lateMillis[index], late);
                at = until;
            }
            isLow = works && window.latency().count() <= LOW * mean() * (toMillis - from) / SLOT_MILLIS;
            endMillis = toMillis;
        }

        /** Of the slots in which it had something to do, be it for a part of the slot. */
        double mean() {
            double sum = 0;
            int slots = 0;
            for (int i = 0; i < SLOTS; i++) {
                if (busy[i] || ended[i] > 0) {
                    sum += ended[i];
                    slots++;
                }
            }
            return slots == 0 ? 0 : sum / slots;
        }

        /** The most within some slots. */
        long lateMillis(long fromSlot, long toSlot) {
            long most = 0;
            for (long slot = fromSlot; slot < toSlot; slot++) {
                most = Math.max(most, lateMillis[(int) (slot % SLOTS)]);
            }
            return most;
        }

        /** Whole numbers with the same sums; what was idle is as usual. */
        int[] counts(long firstSlot, int slots) {
            double mean = mean();
            int[] counts = new int[slots];
            double sum = 0;
            long before = 0;
            for (int i = 0; i < slots; i++) {
                int index = (int) ((firstSlot + i) % SLOTS);
                sum += busy[index] ? ended[index] : Math.max(mean, ended[index]);
                counts[i] = (int) (Math.round(sum) - before);
                before = Math.round(sum);
            }
            return counts;
        }
    }

    /**
     * A window of a domain has ended.
     *
     * @param held whether its requests wait because somebody has paused it or drains it
     */
    void add(String domain, Instant end, Window window, boolean held) {
        long toMillis = end.toEpochMilli();
        series.computeIfAbsent(domain, _ -> new Series(toMillis - window.lengthNanos() / 1_000_000))
                .add(toMillis, window, held);
    }

    /** Forgets domains that have sent nothing for so long; returns whether some are left. */
    boolean keepSince(Instant time) {
        series.values().removeIf(each -> each.endMillis < time.toEpochMilli());
        return !series.isEmpty();
    }

    /** The domains that are low at this moment although they have something to do. */
    Set<String> low() {
        Set<String> low = new HashSet<>();
        series.forEach((domain, each) -> {
            if (each.isLow && each.mean() >= LEAST_MEAN) {
                low.add(domain);
            }
        });
        return low;
    }

    /** The latest convoy, if one has ended within the last seconds or goes on. */
    Optional<Standstill> latest() {
        List<Map.Entry<String, Series>> some = series.entrySet().stream()
                .filter(each -> each.getValue().mean() >= LEAST_MEAN)
                .sorted(Comparator.comparingDouble(
                        (Map.Entry<String, Series> each) -> -each.getValue().mean()))
                .limit(MOST_DOMAINS)
                .sorted(Map.Entry.comparingByKey())
                .toList();
        if (some.size() < 2) {
            return Optional.empty();
        }
        long endSlot =
                some.stream().mapToLong(each -> each.getValue().endMillis).min().orElseThrow() / SLOT_MILLIS;
        int slots = SLOTS - NEW_SLOTS; // the oldest may be overwritten by domains that are ahead
        long firstSlot = endSlot - slots;
        List<int[]> counts = some.stream()
                .map(each -> each.getValue().counts(firstSlot, slots))
                .toList();
        if (!mayHave(counts, slots)) {
            return Optional.empty();
        }
        List<Convoys.Convoy> found = Convoys.in(counts).stream()
                .filter(each -> each.to() > slots - NEW_SLOTS && each.to() - each.from() >= LEAST_SLOTS)
                .toList();
        if (found.isEmpty()) {
            return Optional.empty();
        }
        Convoys.Convoy last = found.getLast();
        List<String> domains = new ArrayList<>();
        long fromSlot = firstSlot + last.from();
        long toSlot = firstSlot + last.to();
        long lateMillis = 0;
        for (int index : last.databases()) {
            Map.Entry<String, Series> each = some.get(index);
            domains.add(each.getKey());
            lateMillis = Math.max(lateMillis, each.getValue().lateMillis(fromSlot, toSlot));
        }
        return Optional.of(new Standstill(
                Instant.ofEpochMilli(fromSlot * SLOT_MILLIS),
                Instant.ofEpochMilli(toSlot * SLOT_MILLIS),
                domains,
                Duration.ofMillis(lateMillis)));
    }

    /** Whether two domains were low in one of the newest slots. Without that there is no need to look closer. */
    private static boolean mayHave(List<int[]> counts, int slots) {
        double[] low = counts.stream()
                .mapToDouble(each -> LOW * Arrays.stream(each).average().orElse(0))
                .toArray();
        for (int slot = slots - NEW_SLOTS; slot < slots; slot++) {
            int those = 0;
            for (int i = 0; i < low.length; i++) {
                if (counts.get(i)[slot] <= low[i]) {
                    those++;
                }
            }
            if (those >= 2) {
                return true;
            }
        }
        return false;
    }
}
