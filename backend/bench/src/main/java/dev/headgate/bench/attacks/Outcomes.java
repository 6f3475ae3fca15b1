package dev.headgate.bench.attacks;

import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/** How often each thing came of an attack. Any thread. */
final class Outcomes {

    private final Map<String, LongAdder> counts = new ConcurrentSkipListMap<>();

    void count(String outcome) {
        counts.computeIfAbsent(outcome, _ -> new LongAdder()).increment();
    }

    @Override
    public String toString() {
        return counts.toString();
    }
}
