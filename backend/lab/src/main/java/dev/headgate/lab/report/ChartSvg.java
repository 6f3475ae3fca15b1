package dev.headgate.lab.report;

import dev.headgate.lab.experiment.Chart;
import dev.headgate.lab.experiment.Chart.Axis;
import dev.headgate.lab.experiment.Chart.Line;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/**
 * Draws a chart as SVG for documents, readable on light and on dark pages. The dashboard draws with Chart.js instead. A library that
 * draws with AWT was not taken: it needs fonts on the server, which container images do not have.
 */
public final class ChartSvg {

    private static final int WIDTH = 720;
    private static final int HEIGHT = 360;
    private static final int LEFT = 64;
    private static final int RIGHT = 16;
    private static final int TOP = 40;
    private static final int BOTTOM = 56;
    private static final int KEY_LINE = 18;
    private static final int TICKS = 6;
    private static final String[] COLORS = {
        "#3b7dd8", "#d9822b", "#2f9e6e", "#b0529e", "#7a6ff0", "#c0392b", "#5f7d8c", "#a68a1d"
    };

    private final Chart chart;

    /** The names of all lines of the report, each once. The place of a name is its colour. */
    private final List<String> names;

    private final Scale x;
    private final Scale y;
    private final StringBuilder svg = new StringBuilder();

    private ChartSvg(Chart chart, List<String> names) {
        this.chart = chart;
        this.names = names;
        this.x = Scale.of(chart.x(), values(chart, Line::x), false, LEFT, WIDTH - RIGHT);
        this.y = Scale.of(chart.y(), values(chart, Line::y), true, HEIGHT - BOTTOM, TOP);
    }

    /**
     * Draws one chart of a report. A line has the colour of its name, the same in all charts of the report.
     *
     * @param number from 0
     * @return a whole SVG document
     */
    public static String of(List<Chart> charts, int number) {
        List<String> names = charts.stream()
                .flatMap(chart -> chart.lines().stream())
                .map(Line::name)
                .distinct()
                .toList();
        return new ChartSvg(charts.get(number), names).draw();
    }

    private static List<Double> values(Chart chart, Function<Line, List<Double>> side) {
        return chart.lines().stream().flatMap(line -> side.apply(line).stream()).toList();
    }

    private String draw() {
        int height = HEIGHT + KEY_LINE * chart.lines().size();
        svg.append("""
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" font-family="system-ui, sans-serif" font-size="12">
                <title>%s</title><desc>%s</desc>
                <style>text{fill:#333}.grid{stroke:#0002}@media(prefers-color-scheme:dark){text{fill:#ccc}.grid{stroke:#fff2}}</style>
                <text x="%d" y="20" font-size="14" font-weight="600">%s</text>
                """.formatted(
                WIDTH, height, escaped(chart.title()), escaped(chart.sentence()), LEFT, escaped(chart.title())));
        for (double tick : x.ticks()) {
            line("grid", x.at(tick), TOP, x.at(tick), HEIGHT - BOTTOM);
            text(x.at(tick), HEIGHT - BOTTOM + 18, "middle", Numbers.text(tick));
        }
        for (double tick : y.ticks()) {
            line("grid", LEFT, y.at(tick), WIDTH - RIGHT, y.at(tick));
            text(LEFT - 8, y.at(tick) + 4, "end", Numbers.text(tick));
        }
        text(
                (LEFT + WIDTH - RIGHT) / 2.0,
                HEIGHT - BOTTOM + 38,
                "middle",
                chart.x().caption());
        svg.append("<text transform=\"translate(14,%s) rotate(-90)\" text-anchor=\"middle\">%s</text>%n"
                .formatted(
                        round((TOP + HEIGHT - BOTTOM) / 2.0), escaped(chart.y().caption())));
        for (int i = 0; i < chart.lines().size(); i++) {
            Line line = chart.lines().get(i);
            String color = COLORS[names.indexOf(line.name()) % COLORS.length];
            curve(line, color);
            int at = HEIGHT + KEY_LINE * i;
            svg.append(
                    "<rect x=\"%d\" y=\"%d\" width=\"18\" height=\"4\" fill=\"%s\"/>%n".formatted(LEFT, at - 6, color));
            text(LEFT + 26, at, "start", line.name());
        }
        return svg.append("</svg>\n").toString();
    }

    private void curve(Line line, String color) {
        List<String> points = new ArrayList<>();
        for (int i = 0; i < line.x().size(); i++) {
            double px = x.at(line.x().get(i));
            double py = y.at(line.y().get(i));
            if (line.style() == Chart.Style.STEPS && i > 0) {
                points.add(round(px) + "," + round(y.at(line.y().get(i - 1))));
            }
            points.add(round(px) + "," + round(py));
            if (line.style() == Chart.Style.POINTS || (line.x().size() <= 30 && line.style() == Chart.Style.LINE)) {
                svg.append(
                        "<circle cx=\"%s\" cy=\"%s\" r=\"3\" fill=\"%s\"/>%n".formatted(round(px), round(py), color));
            }
        }
        if (line.style() != Chart.Style.POINTS) {
            svg.append("<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s/>%n"
                    .formatted(
                            String.join(" ", points),
                            color,
                            line.style() == Chart.Style.DASHED ? " stroke-dasharray=\"6 4\"" : ""));
        }
    }

    private void line(String kind, double x1, double y1, double x2, double y2) {
        svg.append("<line class=\"%s\" x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\"/>%n"
                .formatted(kind, round(x1), round(y1), round(x2), round(y2)));
    }

    private void text(double x, double y, String anchor, String words) {
        svg.append("<text x=\"%s\" y=\"%s\" text-anchor=\"%s\">%s</text>%n"
                .formatted(round(x), round(y), anchor, escaped(words)));
    }

    private static String round(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    private static String escaped(String words) {
        return words.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    /** From values to pixels. */
    private record Scale(double from, double to, boolean logarithmic, double begin, double end) {

        static Scale of(Axis axis, List<Double> values, boolean fromZero, double begin, double end) {
            double least = values.stream().mapToDouble(value -> value).min().orElse(0);
            double most = values.stream().mapToDouble(value -> value).max().orElse(1);
            if (axis.logarithmic()) {
                double from = Math.pow(10, Math.floor(Math.log10(Math.max(least, 1e-9))));
                return new Scale(
                        from,
                        Math.max(from * 10, Math.pow(10, Math.ceil(Math.log10(Math.max(most, 1e-9))))),
                        true,
                        begin,
                        end);
            }
            double from = fromZero ? Math.min(0, least) : least;
            return new Scale(from, most > from ? most : from + 1, false, begin, end);
        }

        double at(double value) {
            double share = logarithmic
                    ? (Math.log10(Math.max(value, from)) - Math.log10(from)) / (Math.log10(to) - Math.log10(from))
                    : (value - from) / (to - from);
            return begin + share * (end - begin);
        }

        List<Double> ticks() {
            List<Double> ticks = new ArrayList<>();
            if (logarithmic) {
                for (double tick = from; tick <= to * 1.001; tick *= 10) {
                    ticks.add(tick);
                }
                return ticks;
            }
            double rough = (to - from) / TICKS;
            double power = Math.pow(10, Math.floor(Math.log10(rough)));
            double step = power * (rough / power > 5 ? 10 : rough / power > 2 ? 5 : rough / power > 1 ? 2 : 1);
            for (double tick = Math.ceil(from / step - 1e-9) * step; tick <= to + step * 1e-6; tick += step) {
                ticks.add(Math.rint(tick / step) * step);
            }
            return ticks;
        }
    }
}
