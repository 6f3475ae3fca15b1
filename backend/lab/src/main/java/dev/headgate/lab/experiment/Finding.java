package dev.headgate.lab.experiment;

/**
 * A statement of the paper, or a bar of our own, and whether it holds here.
 *
 * @param claim what was stated: "latency grows in proportion to the connections"
 * @param verdict whether it holds in this run
 * @param here what was measured, in one or two sentences with figures, and the reason where it does not hold
 */
public record Finding(String claim, Verdict verdict, String here) {

    /** Whether a claim holds. */
    public enum Verdict {
        HOLDS,
        DIFFERS,
        /** The run cannot tell: too few samples, or a machine that is too small. */
        UNDECIDED
    }

    public static Finding of(String claim, boolean holds, String here) {
        return new Finding(claim, holds ? Verdict.HOLDS : Verdict.DIFFERS, here);
    }
}
