package dev.headgate.bench.wire;

import dev.headgate.bench.Figures;

/**
 * The same measure on both sides, run by run.
 *
 * @param bar the ratio to reach
 */
record Comparison(String name, double bar, double[] ours, double[] theirs) {

    /** Prints the ratio of ours to theirs. */
    void print(String unit) {
        System.out.printf(
                "  %-22s %5.2f of medians (bar %.2f), run by run %s; ours %s, theirs %s %s%n",
                name,
                new Figures(ours).median() / new Figures(theirs).median(),
                bar,
                Figures.ratio(ours, theirs).show("%.2f"),
                new Figures(ours).show("%.0f"),
                new Figures(theirs).show("%.0f"),
                unit);
    }
}
