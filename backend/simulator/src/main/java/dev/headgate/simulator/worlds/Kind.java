package dev.headgate.simulator.worlds;

import java.util.Locale;

/** What a world is hard for. */
public enum Kind {
    /** Most requests are fast, some are 5 to 30 times as slow; the percentile is clear of the step between them. */
    BIMODAL(true),
    /** The same, with as many slow ones as the percentile leaves out, or up to three tenths fewer. */
    EDGE(true),
    /** A tail of exponent 1.2. */
    PARETO(true),
    /** p95 and p99 at some 20 to 300 requests a second, over five minutes. */
    PERCENTILE(true),
    /** 30 callers that do not pause, on two cores whose speed wobbles. */
    CALLERS(true),
    /** What the demo's auction asked of a real PostgreSQL, with its arrivals and the stalls of a busy machine. */
    TRACE(false),
    /** Work that becomes heavier or lighter, by up to 2, at half time. */
    SHIFT(false),
    /** Two to six times slower for 10 s, three times in a row. */
    SLOW_THRICE(false),
    /** Others come to the server for some seconds and go again. */
    NEIGHBOUR(false),
    /** Two hours in which the load rises from a fifth of what can be served to more than that, and falls again. */
    DAY(false);

    private final boolean steady;

    Kind(boolean steady) {
        this.steady = steady;
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
