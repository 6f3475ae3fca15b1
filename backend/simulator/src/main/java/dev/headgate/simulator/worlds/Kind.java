package dev.headgate.simulator.worlds;

import java.util.Locale;

/** What a world is hard for. */
public enum Kind {
    /** Most requests are fast, some are 5 to 30 times as slow; the percentile is clear of the step between them. */
    BIMODAL(0, true),
    /** The same, with as many slow ones as the percentile leaves out, or up to three tenths fewer. */
    EDGE(1, true),
    /** A tail of exponent 1.2. */
    PARETO(2, true),
    /** p95 and p99 at some 20 to 300 requests a second, over five minutes. */
    PERCENTILE(3, true),
    /** 30 callers that do not pause, on two cores whose speed wobbles. */
    CALLERS(4, true),
    /** What the demo's auction asked of a real PostgreSQL, with its arrivals and the stalls of a busy machine. */
    TRACE(5, false),
    /** Work that becomes heavier or lighter, by up to 2, at half time. */
    SHIFT(6, false),
    /** Two to six times slower for 10 s, three times in a row. */
    SLOW_THRICE(7, false),
    /** Others come to the server for some seconds and go again. */
    NEIGHBOUR(8, false),
    /** Two hours in which the load rises from a fifth of what can be served to more than that, and falls again. */
    DAY(9, false),
    /** The same callers on two cores of which others take one for moments, so that many requests are slow together. */
    CROWDED(10, true);

    private final int number;
    private final boolean steady;

    /** @param number makes the worlds of one seed differ; never changed, so that a seed keeps its world */
    Kind(int number, boolean steady) {
        this.number = number;
        this.steady = steady;
    }

    int number() {
        return number;
    }

    /** Whether nothing changes after the start, so that a pool should come to rest. */
    public boolean isSteady() {
        return steady;
    }

    /** In lower case, with spaces. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
