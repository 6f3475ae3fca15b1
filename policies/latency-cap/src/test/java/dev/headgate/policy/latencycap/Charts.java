package dev.headgate.policy.latencycap;

import dev.headgate.simulator.Load;
import dev.headgate.simulator.Run;
import dev.headgate.simulator.ServiceTime;
import dev.headgate.simulator.SimulatedServer;
import dev.headgate.simulator.Simulator;
import dev.headgate.spi.Limits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Draws the charts of docs/policies.md from simulated runs; the same runs give the same files, to the byte. */
final class Charts {

    private static final int WIDTH = 720;
    private static final int HEIGHT = 150;
    private static final int LEFT = 60;

    private Charts() {}

    /** Writes into the folder named by the first argument. */
    public static void main(String[] arguments) throws IOException {
        Path folder = Files.createDirectories(Path.of(arguments[0]));
        SimulatedServer server = new SimulatedServer(ServiceTime.linear(5, 0.5), 0.6, 1)
                .slower(5, Duration.ofSeconds(30), Duration.ofSeconds(60));
        Files.writeString(
                folder.resolve("latency-cap-slow-database.svg"),
                chart("A cap of 15 ms; the database is five times slower from 30 s to 90 s", run(server, 1_800, 120)));
        Files.writeString(
                folder.resolve("latency-cap-settling.svg"),
                chart(
                        "A cap of 15 ms on a database that keeps it with 20 connections",
                        run(new SimulatedServer(ServiceTime.linear(5, 0.5), 0.6, 1), 1_800, 40)));
    }

    private static Run run(SimulatedServer server, double perSecond, int seconds) {
        return new Simulator(server, 100, 1)
                .domain(
                        "bank",
                        Load.perSecond(perSecond),
                        pool -> Limits.unbounded().withFloor(2).withCeiling(60),
                        new LatencyCap(15e6, Statistic.MEAN, 4, 1, 1_000_000_000L))
                .runFor(Duration.ofSeconds(seconds))
                .run("bank");
    }

    /** Two panels over one time axis, in a grey that is legible on white and on black. */
    private static String chart(String title, Run run) {
        StringBuilder svg = new StringBuilder();
        svg.append(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\""
                        + " fill=\"#808890\" role=\"img\">%n<title>%s</title>%n",
                WIDTH,
                2 * HEIGHT + 90,
                title));
        svg.append(String.format(Locale.ROOT, "<text x=\"%d\" y=\"16\">%s</text>%n", LEFT, title));
        panel(svg, 30, "connections", "#3b82c4", run.rows(), row -> row.limits().ceiling());
        panel(
                svg,
                60 + HEIGHT,
                "mean, ms",
                "#d9773a",
                run.rows(),
                row -> row.window().latency().meanNanos() / 1e6);
        return svg.append("</svg>\n").toString();
    }

    private static void panel(
            StringBuilder svg,
            int top,
            String label,
            String colour,
            List<Run.Row> rows,
            ToDoubleFunction<Run.Row> figure) {
        double most = Math.max(1, rows.stream().mapToDouble(figure).max().orElse(1));
        double end = rows.getLast().endNanos();
        StringBuilder points = new StringBuilder();
        for (Run.Row row : rows) {
            points.append(String.format(
                    Locale.ROOT,
                    "%.1f,%.1f ",
                    LEFT + (WIDTH - LEFT - 10) * row.endNanos() / end,
                    top + HEIGHT - (HEIGHT - 10) * figure.applyAsDouble(row) / most));
        }
        svg.append(String.format(
                Locale.ROOT,
                "<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"#808890\"/>%n"
                        + "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.0f</text>%n"
                        + "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">0</text>%n"
                        + "<text x=\"%d\" y=\"%d\">%s</text>%n<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.0f s</text>%n"
                        + "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" points=\"%s\"/>%n",
                LEFT,
                top,
                top + HEIGHT,
                WIDTH - 10,
                LEFT - 6,
                top + 14,
                most,
                LEFT - 6,
                top + HEIGHT,
                LEFT + 8,
                top + 12,
                label,
                WIDTH - 10,
                top + HEIGHT + 16,
                end / 1e9,
                colour,
                points.toString().strip()));
    }
}
