package dev.headgate.lab.experiment;

import java.util.List;

/**
 * A chart of numbers over numbers.
 *
 * @param title also its name in a report; unique within the report
 * @param sentence what it shows, for those who cannot see it
 */
public record Chart(String title, Axis x, Axis y, List<Line> lines, String sentence) {

    public Chart {
        lines = List.copyOf(lines);
    }

    /**
     * @param title "latency"
     * @param unit "ms"; "" without one
     * @param logarithmic whether equal distances are equal ratios; values must then be positive
     */
    public record Axis(String title, String unit, boolean logarithmic) {

        public static Axis of(String title, String unit) {
            return new Axis(title, unit, false);
        }

        public static Axis logarithmic(String title, String unit) {
            return new Axis(title, unit, true);
        }

        /** Its caption: "latency, ms". */
        public String caption() {
            return unit.isEmpty() ? title : title + ", " + unit;
        }
    }

    /** How a line is drawn. */
    public enum Style {
        LINE,
        /** Expected values, limits, other people's figures. */
        DASHED,
        /** Each value holds until the next. */
        STEPS,
        POINTS
    }

    /**
     * @param name in the key; unique within the chart
     * @param x finite, in rising order
     * @param y finite, as many as {@code x}
     */
    public record Line(String name, Style style, List<Double> x, List<Double> y) {

        public Line {
            x = List.copyOf(x);
            y = List.copyOf(y);
            if (x.size() != y.size()) {
                throw new IllegalArgumentException(name + ": " + x.size() + " x for " + y.size() + " y");
            }
            if (!x.stream().allMatch(Double::isFinite) || !y.stream().allMatch(Double::isFinite)) {
                throw new IllegalArgumentException(name + ": every value must be finite");
            }
        }
    }
}
