package dev.headgate.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * {@code ./headgate bench report [FOLDER]}: writes the tables of the newest kept runs into docs/benchmarks.md, each between the
 * lines {@code <!-- run NAME -->} and {@code <!-- end of run -->}. Everything else stays as it is.
 */
final class Report {

    static final String END = "<!-- end of run -->";

    private Report() {}

    /** @throws IllegalArgumentException for an unknown option, or if there is no run or no place for one */
    static void write(List<String> arguments) throws IOException {
        if (arguments.size() > 1 || arguments.stream().anyMatch(each -> each.startsWith("-"))) {
            throw new IllegalArgumentException(
                    "takes at most a folder of kept runs, was given " + String.join(" ", arguments));
        }
        Path folder = arguments.isEmpty() ? KeptRun.folder() : Path.of(arguments.getFirst());
        Path page = KeptRun.checkout().resolve("docs/benchmarks.md");
        String text = Files.readString(page);
        int written = 0;
        for (String bench : List.of("peers", "contract")) {
            KeptRun run = KeptRun.newest(folder, bench).orElse(null);
            if (run != null) {
                text = put(text, run);
                written++;
                System.out.println("  " + bench + " of " + run.began());
            }
        }
        if (written == 0) {
            throw new IllegalArgumentException("found no run in " + folder + ": run a benchmark first");
        }
        Files.writeString(page, text);
    }

    /** The page with the run's tables between its markers. @throws IllegalArgumentException if it has no such markers */
    static String put(String page, KeptRun run) {
        String begin = "<!-- run " + run.bench() + " -->\n";
        int from = page.indexOf(begin);
        int to = from < 0 ? -1 : page.indexOf(END, from);
        if (to < 0) {
            throw new IllegalArgumentException(
                    "docs/benchmarks.md has no lines " + begin.strip() + " and " + END + " to write between");
        }
        return page.substring(0, from + begin.length()) + "\n" + tables(run) + "\n" + page.substring(to);
    }

    private static String tables(KeptRun run) {
        List<String> parts = new ArrayList<>();
        parts.add("%s UTC%s; %s. %s.\n"
                .formatted(
                        run.began().toString().replace("T", ", ").replace("Z", ""),
                        run.quick() ? ", the quick form" : "",
                        run.machine(),
                        run.versions().entrySet().stream()
                                .sorted(Map.Entry.comparingByKey(String.CASE_INSENSITIVE_ORDER))
                                .map(each -> each.getKey() + " " + each.getValue())
                                .collect(Collectors.joining(", "))));
        run.figures().stream()
                .map(KeptRun.Figure::row)
                .distinct()
                .forEach(row -> parts.add("**" + row + "**\n\n" + figures(run, row)));
        if (!run.answers().isEmpty()) {
            parts.add(answers(run));
        }
        return String.join("\n", parts);
    }

    /** Measures across, subjects down. */
    private static String figures(KeptRun run, String row) {
        List<KeptRun.Figure> figures =
                run.figures().stream().filter(each -> each.row().equals(row)).toList();
        List<String> measures =
                figures.stream().map(KeptRun.Figure::measure).distinct().toList();
        List<String> heading = new ArrayList<>(List.of(""));
        heading.addAll(measures);
        List<List<String>> lines = new ArrayList<>();
        for (String subject :
                figures.stream().map(KeptRun.Figure::subject).distinct().toList()) {
            List<String> line = new ArrayList<>(List.of(subject));
            for (String measure : measures) {
                line.add(figures.stream()
                        .filter(each ->
                                each.subject().equals(subject) && each.measure().equals(measure))
                        .map(KeptRun.Figure::show)
                        .findFirst()
                        .orElse(""));
            }
            lines.add(line);
        }
        return table(heading, lines);
    }

    /** Subjects across, clauses down. */
    private static String answers(KeptRun run) {
        List<String> subjects =
                run.answers().stream().map(KeptRun.Answer::subject).distinct().toList();
        List<String> heading = new ArrayList<>(List.of(""));
        heading.addAll(subjects);
        List<List<String>> lines = new ArrayList<>();
        for (String clause :
                run.answers().stream().map(KeptRun.Answer::clause).distinct().toList()) {
            List<String> line = new ArrayList<>(List.of(clause));
            for (String subject : subjects) {
                line.add(run.answers().stream()
                        .filter(each ->
                                each.clause().equals(clause) && each.subject().equals(subject))
                        .map(KeptRun.Answer::said)
                        .findFirst()
                        .orElse(""));
            }
            lines.add(line);
        }
        return table(heading, lines);
    }

    private static String table(List<String> heading, List<List<String>> lines) {
        StringBuilder table = new StringBuilder(line(heading));
        table.append("|").append(" --- |".repeat(heading.size())).append('\n');
        lines.forEach(each -> table.append(line(each)));
        return table.toString();
    }

    private static String line(List<String> cells) {
        return "| " + cells.stream().map(each -> each.replace("|", "\\|")).collect(Collectors.joining(" | ")) + " |\n";
    }
}
