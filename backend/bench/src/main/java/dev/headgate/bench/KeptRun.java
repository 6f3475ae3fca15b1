package dev.headgate.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a benchmark measured, kept as a JSON file, from which {@link Report} writes its tables.
 *
 * @param bench the benchmark's name
 * @param began to the second
 * @param quick whether runs were fewer and shorter, so that the figures say little
 * @param machine as printed at the start, with its load
 * @param versions of what was measured, by name
 */
public record KeptRun(
        String bench,
        Instant began,
        boolean quick,
        String machine,
        Map<String, String> versions,
        List<Figure> figures,
        List<Answer> answers)
        implements ReportedRun {

    /**
     * One figure of one subject, in every run. No values: it was not reached in any run.
     *
     * @param row the benchmark's row
     * @param format how a value is written, for {@link String#format}
     * @param bar what the figure must reach, in words; null if there is none
     */
    public record Figure(
            String row,
            String measure,
            String format,
            String subject,
            List<Double> values,
            @Nullable String bar) {

        public Figure {
            values = List.copyOf(values);
        }

        /** The median and the spread, or the one value; "never" if there are none. With the bar. */
        public String show() {
            String shown = switch (values.size()) {
                case 0 -> "never";
                case 1 -> String.format(Locale.ROOT, format, values.getFirst());
                default -> sorted().show(format);
            };
            return bar == null ? shown : shown + ", bar " + bar;
        }

        Figures sorted() {
            return new Figures(values.stream().mapToDouble(Double::doubleValue).toArray());
        }
    }

    /**
     * What a subject does in one respect.
     *
     * @param row empty if the benchmark has no rows
     */
    public record Answer(String row, String clause, String subject, String said) {

        /** Runs that were kept before 25 November 2026 have no row here. */
        public Answer {
            row = Objects.requireNonNullElse(row, "");
        }
    }

    private static final JsonMapper JSON = JsonMapper.builder().build();

    public KeptRun {
        began = began.truncatedTo(ChronoUnit.SECONDS);
        versions = Map.copyOf(versions);
        figures = List.copyOf(figures);
        answers = List.copyOf(answers);
    }

    /** The system property that names another folder for what a {@link Fork} measures. */
    static final String FOLDER = "headgate.kept";

    /** Where runs are kept: {@code target/bench} of the checkout. */
    static Path folder() {
        String other = System.getProperty(FOLDER);
        return other == null ? checkout().resolve("target/bench") : Path.of(other);
    }

    static Path checkout() {
        return Path.of(System.getProperty("headgate.checkout", "."));
    }

    /** Headgate's version and build, as {@code ./headgate} says. */
    static String headgate() {
        return System.getProperty("headgate.version", "of this checkout");
    }

    /** Writes it and prints where. Does nothing if nothing was measured. */
    void keep() throws IOException {
        if (!isEmpty()) {
            Path file = keepIn(folder());
            System.out.println(
                    "  kept in " + (file.startsWith(checkout()) ? checkout().relativize(file) : file));
        }
    }

    boolean isEmpty() {
        return figures.isEmpty() && answers.isEmpty();
    }

    @Override
    public List<String> rows() {
        return Stream.concat(figures.stream().map(Figure::row), answers.stream().map(Answer::row))
                .distinct()
                .toList();
    }

    @Override
    public KeptRun only(Collection<String> rows) {
        return new KeptRun(
                bench,
                began,
                quick,
                machine,
                versions,
                figures.stream().filter(each -> rows.contains(each.row())).toList(),
                answers.stream().filter(each -> rows.contains(each.row())).toList());
    }

    Path keepIn(Path folder) throws IOException {
        Path file = Files.createDirectories(folder)
                .resolve(bench + "-" + began.toString().replace(":", "") + ".json");
        JSON.writerWithDefaultPrettyPrinter().writeValue(file.toFile(), this);
        return file;
    }

    /** The runs of a benchmark, the newest first. Says which files are not read, and why. */
    static List<KeptRun> all(Path folder, String bench) throws IOException {
        List<KeptRun> runs = new ArrayList<>();
        if (Files.isDirectory(folder)) {
            try (Stream<Path> files = Files.list(folder)) {
                for (Path file : files.filter(
                                each -> each.getFileName().toString().matches(bench + "-\\d.*\\.json"))
                        .sorted(Comparator.comparing(Path::getFileName).reversed())
                        .toList()) {
                    try {
                        runs.add(JSON.readValue(file.toFile(), KeptRun.class));
                    } catch (JacksonException e) {
                        System.out.println("  left out " + file.getFileName()
                                + ", which is no run as this version keeps it: " + e.getOriginalMessage());
                    }
                }
            }
        }
        return runs;
    }
}
