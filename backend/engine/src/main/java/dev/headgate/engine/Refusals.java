package dev.headgate.engine;

import dev.headgate.engine.time.Time;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Who was turned away from a pool in the last ten minutes, and why, counted by minute. Bounded: {@value #MOST} callers, and one
 * entry for each reason for all others. A refusal costs one lookup under a lock; it has made an exception already.
 */
final class Refusals {

    private static final int MOST = 200;

    /** The minute that has begun counts, too. */
    private static final int MINUTES = 11;

    private static final int LONGEST_NAME = 63;

    private record Key(Who who, LeaseException.Cause why, String policy) {}

    private static final class Count {
        private final long[] byMinute = new long[MINUTES];
        private long minute;
        private final Instant first;
        private Instant last;
        private String reason = "";

        private Count(long minute, Instant now) {
            this.minute = minute;
            this.first = now;
            this.last = now;
        }

        private void turnTo(long now) {
            for (long passed = Math.max(minute + 1, now - MINUTES + 1); passed <= now; passed++) {
                byMinute[Math.floorMod(passed, MINUTES)] = 0;
            }
            minute = Math.max(minute, now);
        }

        private long sum() {
            long sum = 0;
            for (long each : byMinute) {
                sum += each;
            }
            return sum;
        }
    }

    private final Time time;
    private final Map<Key, Count> counts = new HashMap<>();

    Refusals(Time time) {
        this.time = time;
    }

    /** Notes one, unless its caller has left by itself. */
    void note(LeaseRequest request, LeaseException refused) {
        if (refused.why() == LeaseException.Cause.INTERRUPTED) {
            return;
        }
        Instant now = time.now();
        long minute = minute(now);
        Who who = group(Who.of(request));
        String policy = refused.situation().policy();
        synchronized (this) {
            Key key = new Key(who, refused.why(), policy);
            if (!counts.containsKey(key) && counts.size() >= MOST) {
                forget(minute);
                if (counts.size() >= MOST) {
                    key = new Key(Who.inProcess("others"), refused.why(), "");
                }
            }
            Count count = counts.computeIfAbsent(key, _ -> new Count(minute, now));
            count.turnTo(minute);
            count.byMinute[Math.floorMod(minute, MINUTES)]++;
            count.last = now;
            count.reason = refused.situation().reason();
        }
    }

    /** The most frequent first. */
    synchronized List<TurnedAway> list() {
        forget(minute(time.now()));
        List<TurnedAway> all = new ArrayList<>();
        counts.forEach((key, count) -> all.add(new TurnedAway(
                key.who(), key.why(), key.policy(), count.reason, count.sum(), count.first, count.last)));
        all.sort(Comparator.comparingLong(TurnedAway::count)
                .reversed()
                .thenComparing(TurnedAway::last, Comparator.reverseOrder()));
        return all;
    }

    /** The sum of all counts. */
    synchronized long total() {
        forget(minute(time.now()));
        return counts.values().stream().mapToLong(Count::sum).sum();
    }

    private void forget(long minute) {
        counts.values().forEach(count -> count.turnTo(minute));
        counts.values().removeIf(count -> count.sum() == 0);
    }

    private static long minute(Instant now) {
        return now.getEpochSecond() / 60;
    }

    /** Without what differs between the connections and transactions of one program. */
    private static Who group(Who who) {
        int colon = who.address().lastIndexOf(':');
        return new Who(
                who.kind(),
                who.kind() == Requester.Kind.JDBC ? shortened(who.holder()) : "",
                shortened(who.user()),
                shortened(who.application()),
                colon < 0 ? who.address() : who.address().substring(0, colon),
                "");
    }

    private static String shortened(String name) {
        return Shortened.to(LONGEST_NAME, name);
    }
}
