package dev.headgate.lab.web;

import static dev.headgate.lab.report.Numbers.rounded;

import dev.headgate.engine.connect.Target;
import dev.headgate.lab.demo.Gallery;
import dev.headgate.lab.experiment.Chart;
import dev.headgate.lab.experiment.Experiment;
import dev.headgate.lab.experiment.Finding;
import dev.headgate.lab.experiment.Laboratory;
import dev.headgate.lab.experiment.Measure;
import dev.headgate.lab.experiment.Measure.Better;
import dev.headgate.lab.experiment.Parameter;
import dev.headgate.lab.experiment.Report;
import dev.headgate.lab.experiment.Run;
import dev.headgate.lab.experiment.Table;
import java.io.IOException;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Portraits with an image, read by few to many clients at once from a web server with a small heap: whole results in memory before the
 * first row is written, or rows as the database yields them. A server that runs out of memory is started again for the next cell.
 */
public final class Streaming implements Experiment {

    private static final List<Integer> ROWS = List.of(86, 301, 989);
    private static final List<Integer> READERS = List.of(4, 16, 32, 128);

    /** From here on the paper's materialising servers failed. */
    private static final int PAPER_ROWS = 301;

    private static final int PAPER_READERS = 32;
    private static final double LEAST_THROUGHPUT = 0.85;
    private static final double PREPARING = 0.1;

    /** The rounds of a number of rows and readers end after so long: small ones have more. */
    private static final double ENOUGH_SECONDS = 4;

    private static final int MOST_ROUNDS = 5;

    enum Way {
        STREAMED("streamed", "/streamed?"),
        MATERIALISED("in memory first", "/materialised?");

        private final String title;
        private final String path;

        Way(String title, String path) {
            this.title = title;
            this.path = path;
        }
    }

    /**
     * A number of rows and readers in one way.
     *
     * @param rounds at least one; after a failure there are no more
     */
    record Cell(Way way, int rows, int readers, List<Readers.Outcome> rounds, boolean outOfMemory) {

        Cell with(Readers.Outcome round, boolean ranOutOfMemory) {
            return new Cell(
                    way,
                    rows,
                    readers,
                    Stream.concat(rounds.stream(), Stream.of(round)).toList(),
                    ranOutOfMemory);
        }

        int failed() {
            return rounds.stream().mapToInt(Readers.Outcome::failed).sum();
        }

        boolean complete() {
            return failed() == 0;
        }

        double seconds() {
            return rounds.stream().mapToDouble(Readers.Outcome::seconds).sum();
        }

        List<Readers.Read> reads() {
            return rounds.stream().flatMap(round -> round.reads().stream()).toList();
        }

        double median(ToDoubleFunction<Readers.Read> time) {
            return Measure.medianOf(reads().stream().map(time::applyAsDouble).toList());
        }

        double megabytesPerSecond() {
            return Measure.medianOf(
                    rounds.stream().map(Readers.Outcome::megabytesPerSecond).toList());
        }
    }

    private final List<Integer> rows;
    private final List<Integer> readers;

    public Streaming() {
        this(ROWS, READERS);
    }

    /** With other numbers of rows and readers than the paper's, from few to many. */
    Streaming(List<Integer> rows, List<Integer> readers) {
        this.rows = List.copyOf(rows);
        this.readers = List.copyOf(readers);
    }

    @Override
    public String name() {
        return "streaming";
    }

    @Override
    public String question() {
        return "How many readers does a server with a small heap bear, if it streams rows and if it holds whole results?";
    }

    @Override
    public String source() {
        return "\"Streaming Presidents\": 86 to 989 rows at 4 to 128 readers in a heap of 64 MB";
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                Parameter.count("heapMb", "Of the web server's process", "MB", 64, 64, 32, 1024),
                Parameter.count(
                        "readerKb", "A reader takes so many kilobytes a second", "kB/s", 8000, 2000, 100, 1_000_000),
                Parameter.count("connections", "To PostgreSQL", "", 32, 32, 4, 200),
                Parameter.count("seconds", "After so long a cell has failed", "s", 20, 60, 5, 600));
    }

    @Override
    public Report run(Run run) throws Exception {
        int connections = run.count("connections");
        run.at(0, "painting portraits");
        Target target = run.laboratory().database("streaming", connections + 2);
        try (Connection connection = Laboratory.connect(target)) {
            new Gallery().setUp(connection);
        }
        List<Cell> cells = new ArrayList<>();
        Readers reading = new Readers(1_000L * run.count("readerKb"), Duration.ofSeconds(run.count("seconds")));
        int all = rows.size() * readers.size() * Way.values().length;
        try (Server server = new Server(target, connections, run.count("heapMb"), reading)) {
            for (int number : rows) {
                for (int count : readers) {
                    double share = PREPARING + (1 - PREPARING) * cells.size() / all;
                    cells.addAll(inTurn(number, count, cells.size() / 2, cell -> {
                        run.at(share, "%d rows for %d readers, %s".formatted(number, count, cell.way().title));
                        return server.read(cell);
                    }));
                }
            }
        }
        return report(run, cells);
    }

    /** Measures one more round of a cell. */
    @FunctionalInterface
    interface Trial {
        Cell again(Cell cell) throws Exception;
    }

    /**
     * Measures both ways round by round. Each begins every other round, because the second finds the rows in the database's memory and
     * warmer code.
     *
     * @param number of this pair of cells: in every other one, the other way begins
     */
    static List<Cell> inTurn(int rows, int readers, int number, Trial trial) throws Exception {
        Cell streamed = new Cell(Way.STREAMED, rows, readers, List.of(), false);
        Cell materialised = new Cell(Way.MATERIALISED, rows, readers, List.of(), false);
        for (int round = 0;
                round < MOST_ROUNDS
                        && streamed.complete()
                        && materialised.complete()
                        && streamed.seconds() + materialised.seconds() < ENOUGH_SECONDS;
                round++) {
            if ((number + round) % 2 == 0) {
                streamed = trial.again(streamed);
                materialised = trial.again(materialised);
            } else {
                materialised = trial.again(materialised);
                streamed = trial.again(streamed);
            }
        }
        return List.of(streamed, materialised);
    }

    /** The web server. After a failure it is started again. */
    private static final class Server implements AutoCloseable {

        private final Target target;
        private final int connections;
        private final int heapMegabytes;
        private final Readers readers;
        private @Nullable WebProcess process;

        Server(Target target, int connections, int heapMegabytes, Readers readers) {
            this.target = target;
            this.connections = connections;
            this.heapMegabytes = heapMegabytes;
            this.readers = readers;
        }

        Cell read(Cell cell) throws IOException, InterruptedException {
            WebProcess serving = process;
            if (serving == null || !serving.isAlive()) {
                serving = start(target, connections, heapMegabytes);
                process = serving;
            }
            Readers.Outcome round =
                    readers.read(serving.at(cell.way().path + cell.rows()), cell.readers(), cell.rows());
            boolean outOfMemory = round.failed() > 0 && serving.ranOutOfMemory();
            if (round.failed() > 0) {
                close();
            }
            return cell.with(round, outOfMemory);
        }

        @Override
        public void close() {
            if (process != null) {
                process.close();
                process = null;
            }
        }
    }

    /** Starts a server and warms it up. None is left behind if that is interrupted. */
    static WebProcess start(Target target, int connections, int heapMegabytes)
            throws IOException, InterruptedException {
        WebProcess server = WebProcess.start(target, connections, heapMegabytes);
        Readers warmUp = new Readers(0, Duration.ofSeconds(10));
        try {
            for (int i = 0; i < 10; i++) {
                for (Way way : Way.values()) {
                    Readers.Outcome _ = warmUp.read(server.at(way.path + 10), 2, 10);
                }
            }
        } catch (Throwable e) {
            server.close();
            throw e;
        }
        return server;
    }

    private Report report(Run run, List<Cell> cells) {
        List<Chart> charts = new ArrayList<>();
        for (int number : rows) {
            charts.add(chart(cells, number));
        }
        List<Cell> streamed =
                cells.stream().filter(cell -> cell.way() == Way.STREAMED).toList();
        return new Report(
                List.of(memory(run, cells), goesOn(streamed), firstRow(cells), throughput(cells)),
                charts,
                List.of(table(cells)),
                measures(cells),
                List.of(
                        "Both ways are paths of one web server: Java's own, with virtual threads, a heap of %d MB and %d connections; a new process follows one that has failed."
                                .formatted(run.count("heapMb"), run.count("connections")),
                        "A row is a name, two dates, an image of some 7 KB and a paragraph; it takes about %s KB on the line."
                                .formatted(rounded(bytesPerRow(cells) / 1e3)),
                        "A reader takes %d KB a second at most. Server, database and readers share this machine's %d processors."
                                .formatted(
                                        run.count("readerKb"),
                                        Runtime.getRuntime().availableProcessors())));
    }

    private static double bytesPerRow(List<Cell> cells) {
        return cells.stream()
                .filter(cell -> !cell.reads().isEmpty())
                .mapToDouble(cell -> cell.reads().getFirst().bytes() / (double) cell.rows())
                .average()
                .orElse(0);
    }

    private static Finding memory(Run run, List<Cell> cells) {
        List<Cell> ended = cells.stream().filter(Cell::outOfMemory).toList();
        boolean where = ended.stream()
                .anyMatch(cell ->
                        cell.way() == Way.MATERIALISED && cell.rows() <= PAPER_ROWS && cell.readers() <= PAPER_READERS);
        return Finding.of(
                "A server that holds whole results runs out of memory from 301 rows at 32 readers",
                where,
                "With %d MB it ran out of memory at: %s."
                        .formatted(
                                run.count("heapMb"), ended.isEmpty() ? "no number of rows and readers" : list(ended)));
    }

    private static String list(List<Cell> cells) {
        return String.join(
                ", ",
                cells.stream()
                        .map(cell ->
                                "%d rows for %d readers (%s)".formatted(cell.rows(), cell.readers(), cell.way().title))
                        .toList());
    }

    private static Finding goesOn(List<Cell> streamed) {
        List<Cell> failed = streamed.stream().filter(cell -> !cell.complete()).toList();
        Cell last = streamed.getLast();
        return Finding.of(
                "Streaming goes on, at 301 rows with 128 readers and beyond",
                failed.isEmpty(),
                failed.isEmpty()
                        ? "Every answer was complete, up to %d rows for %d readers: %s MB/s."
                                .formatted(last.rows(), last.readers(), rounded(last.megabytesPerSecond()))
                        : "Answers failed at %s.".formatted(list(failed)));
    }

    /** The cells that both ways completed. */
    private static Optional<Cell> other(List<Cell> cells, Cell cell) {
        return cells.stream()
                .filter(each -> each.way() != cell.way()
                        && each.rows() == cell.rows()
                        && each.readers() == cell.readers()
                        && each.complete()
                        && cell.complete())
                .findFirst();
    }

    private static Finding firstRow(List<Cell> cells) {
        for (Cell cell : cells.reversed()) {
            Optional<Cell> materialised = cell.way() == Way.STREAMED ? other(cells, cell) : Optional.empty();
            if (materialised.isPresent()) {
                double streamed = cell.median(Readers.Read::firstRowMs);
                double whole = materialised.get().median(Readers.Read::firstRowMs);
                return Finding.of(
                        "The first row comes earlier when rows are streamed",
                        streamed < whole,
                        "%d rows for %d readers: %s ms streamed, %s ms from memory (medians)."
                                .formatted(cell.rows(), cell.readers(), rounded(streamed), rounded(whole)));
            }
        }
        return new Finding(
                "The first row comes earlier when rows are streamed",
                Finding.Verdict.UNDECIDED,
                "No number of rows and readers was completed both ways.");
    }

    static Finding throughput(List<Cell> cells) {
        double least = Double.POSITIVE_INFINITY;
        String where = "";
        for (Cell cell : cells) {
            Optional<Cell> materialised = cell.way() == Way.STREAMED ? other(cells, cell) : Optional.empty();
            if (materialised.isPresent()) {
                double ratio = cell.megabytesPerSecond() / materialised.get().megabytesPerSecond();
                if (ratio < least) {
                    least = ratio;
                    where = "%d rows for %d readers: %s MB/s streamed, %s from memory, %s times (medians of %d rounds)."
                            .formatted(
                                    cell.rows(),
                                    cell.readers(),
                                    rounded(cell.megabytesPerSecond()),
                                    rounded(materialised.get().megabytesPerSecond()),
                                    rounded(ratio),
                                    cell.rounds().size());
                }
            }
        }
        String claim = "Where both serve, streaming has at least 0.85 of the throughput (paper: within 10 to 15 %)";
        return least == Double.POSITIVE_INFINITY
                ? new Finding(
                        claim, Finding.Verdict.UNDECIDED, "No number of rows and readers was completed both ways.")
                : Finding.of(claim, least >= LEAST_THROUGHPUT, "The least: " + where);
    }

    static Chart chart(List<Cell> all, int rows) {
        List<Cell> cells = all.stream().filter(cell -> cell.rows() == rows).toList();
        List<Chart.Line> lines = new ArrayList<>();
        for (Way way : Way.values()) {
            List<Cell> some = cells.stream()
                    .filter(cell -> cell.way() == way && cell.complete())
                    .toList();
            lines.add(line(way.title + ", first byte", Chart.Style.LINE, some, Readers.Read::firstByteMs));
            lines.add(line(way.title + ", first row", Chart.Style.LINE, some, Readers.Read::firstRowMs));
            lines.add(line(way.title + ", close", Chart.Style.DASHED, some, Readers.Read::closeMs));
        }
        double top = lines.stream()
                .flatMap(line -> line.y().stream())
                .mapToDouble(y -> y)
                .max()
                .orElse(1);
        List<Cell> failed = cells.stream().filter(cell -> !cell.complete()).toList();
        for (Way way : Way.values()) {
            List<Cell> some = failed.stream().filter(cell -> cell.way() == way).toList();
            lines.add(points(way.title + ", out of memory", some.stream().filter(Cell::outOfMemory), top));
            lines.add(points(way.title + ", failed", some.stream().filter(cell -> !cell.outOfMemory()), top));
        }
        return new Chart(
                rows + " rows: time to the first byte, the first row and the close",
                Chart.Axis.logarithmic("readers at once", ""),
                Chart.Axis.logarithmic("time, median", "ms"),
                lines.stream().filter(line -> !line.x().isEmpty()).toList(),
                failed.isEmpty()
                        ? "Every answer was complete, both ways."
                        : "Where answers failed there is a point at the top: %s.".formatted(list(failed)));
    }

    /** Cells that have no time, at a height of their own. */
    private static Chart.Line points(String name, Stream<Cell> cells, double height) {
        List<Double> x = cells.map(cell -> (double) cell.readers()).toList();
        return new Chart.Line(name, Chart.Style.POINTS, x, Collections.nCopies(x.size(), height));
    }

    private static Chart.Line line(
            String name, Chart.Style style, List<Cell> cells, ToDoubleFunction<Readers.Read> time) {
        return new Chart.Line(
                name,
                style,
                cells.stream().map(cell -> (double) cell.readers()).toList(),
                cells.stream().map(cell -> Math.max(0.01, cell.median(time))).toList());
    }

    private static Table table(List<Cell> cells) {
        List<List<String>> rows = new ArrayList<>();
        for (Cell cell : cells) {
            boolean some = !cell.reads().isEmpty();
            rows.add(List.of(
                    Integer.toString(cell.rows()),
                    Integer.toString(cell.readers()),
                    cell.way().title,
                    Integer.toString(cell.rounds().size()),
                    some ? rounded(cell.median(Readers.Read::firstByteMs)) : "",
                    some ? rounded(cell.median(Readers.Read::firstRowMs)) : "",
                    some ? rounded(cell.median(Readers.Read::closeMs)) : "",
                    cell.complete() ? rounded(cell.megabytesPerSecond()) : "",
                    cell.outOfMemory() ? "out of memory" : cell.complete() ? "" : cell.failed() + " failed"));
        }
        return new Table(
                "Every number of rows and readers",
                List.of(
                        "rows",
                        "readers",
                        "way",
                        "rounds",
                        "first byte, ms",
                        "first row, ms",
                        "close, ms",
                        "MB/s",
                        "failed"),
                rows);
    }

    private static List<Measure> measures(List<Cell> cells) {
        return cells.stream()
                .filter(cell -> cell.complete() && cell.rows() == PAPER_ROWS)
                .map(cell -> new Measure(
                        "%s, %d readers: close of %d rows".formatted(cell.way().title, cell.readers(), cell.rows()),
                        "ms",
                        Better.LESS,
                        cell.reads().stream().map(Readers.Read::closeMs).toList()))
                .toList();
    }
}
