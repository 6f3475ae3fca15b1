package dev.headgate.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
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
        List<Answer> answers) {

    /**
     * One figure of one subject, in every run. No values: it was not reached in any run.
     *
     * @param row the benchmark's row
     * @param format how a value is written, for {@link String#format}
     */
    public record Figure(String row, String measure, String format, String subject, List<Double> values) {

        public Figure {
            values = List.copyOf(values);
        }

        /** The median and the spread; "never" if there are no values. */
        public String show() {
            return values.isEmpty()
                    ? "never"
                    : new Figures(values.stream()
                                    .mapToDouble(Double::doubleValue)
                                    .toArray())
                            .show(format);
        }
    }

    /** What a subject does in one respect. */
    public record Answer(String clause, String subject, String said) {}

    private static final JsonMapper JSON = JsonMapper.builder().build();

    public KeptRun {
        began = began.truncatedTo(ChronoUnit.SECONDS);
        versions = Map.copyOf(versions);
        figures = List.copyOf(figures);
        answers = List.copyOf(answers);
    }

    /** Where runs are kept: {@code target/bench} of the checkout. */
    static Path folder() {
        return checkout().resolve("target/bench");
    }

    static Path checkout() {
        return Path.of(System.getProperty("headgate.checkout", "."));
    }

    /** Writes it and prints where. */
    public void keep() throws IOException {
        System.out.println("  kept in " + checkout().relativize(keepIn(folder())));
    }

    Path keepIn(Path folder) throws IOException {
        Path file = Files.createDirectories(folder)
                .resolve(bench + "-" + began.toString().replace(":", "") + ".json");
        JSON.writerWithDefaultPrettyPrinter().writeValue(file.toFile(), this);
        return file;
    }

    /** The newest run of a benchmark; none if none was kept. */
    static Optional<KeptRun> newest(Path folder, String bench) throws IOException {
        if (!Files.isDirectory(folder)) {
            return Optional.empty();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().matches(bench + "-\\d.*\\.json"))
                    .max(Comparator.comparing(Path::getFileName))
                    .map(file -> JSON.readValue(file.toFile(), KeptRun.class));
        }
    }
}
