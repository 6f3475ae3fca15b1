package dev.headgate.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * {@code ./headgate bench report [FOLDER]}: writes the tables of every benchmark into docs/benchmarks.md, each benchmark's between
 * the lines {@code <!-- run NAME -->} and {@code <!-- end of run -->}. Everything else stays as it is. Each row is from the newest
 * full run that has it, or from the newest quick one if there is no full one. The runs on the page count too: a row whose run is not
 * at hand, as in a fresh clone, stays as it stands, unless this rule prefers another run.
 */
final class Report {

    static final String END = "<!-- end of run -->";

    private Report() {}

    /**
     * @param benches the names of all benchmarks
     * @throws IllegalArgumentException for an unknown option, or if there is no run or no place for one
     */
    static void write(Collection<String> benches, List<String> arguments) throws IOException {
        if (arguments.size() > 1 || arguments.stream().anyMatch(each -> each.startsWith("-"))) {
            throw new IllegalArgumentException(
                    "takes at most a folder of kept runs, was given " + String.join(" ", arguments));
        }
        Path folder = arguments.isEmpty() ? KeptRun.folder() : Path.of(arguments.getFirst());
        Path page = KeptRun.checkout().resolve("docs/benchmarks.md");
        String text = Files.readString(page);
        boolean found = false;
        for (String bench : benches) {
            List<KeptRun> atHand = KeptRun.all(folder, bench);
            if (!atHand.isEmpty()) {
                text = put(text, bench, atHand);
                found = true;
                for (PageRun run : PageRun.all(section(text, bench))) {
                    System.out.println("  " + bench + " of " + run.began() + (run.quick() ? ", quick" : "")
                            + (isOf(run, atHand) ? ": " : ", as it stood: ") + String.join("; ", run.rows()));
                }
            }
        }
        if (!found) {
            throw new IllegalArgumentException("found no run in " + folder + ": run a benchmark first");
        }
        Files.writeString(page, text);
    }

    /** The runs with the rows that the page shows of them: full ones first, of each kind the newest first. */
    static List<ReportedRun> chosen(List<? extends ReportedRun> runs) {
        Set<String> seen = new HashSet<>();
        return runs.stream()
                .sorted(Comparator.comparing(ReportedRun::quick)
                        .thenComparing(ReportedRun::began, Comparator.reverseOrder()))
                .<ReportedRun>map(
                        run -> run.only(run.rows().stream().filter(seen::add).toList()))
                .filter(run -> !run.rows().isEmpty())
                .toList();
    }

    /**
     * The page with the chosen runs' tables between the benchmark's markers.
     *
     * @param atHand the runs whose files are there; what the page has of others is kept
     * @throws IllegalArgumentException if the page has no markers for the benchmark
     */
    static String put(String page, String bench, List<KeptRun> atHand) {
        String section = section(page, bench);
        List<ReportedRun> runs = new ArrayList<>(atHand);
        PageRun.all(section).stream().filter(run -> !isOf(run, atHand)).forEach(runs::add);
        if (runs.isEmpty()) {
            return page;
        }
        String tables = chosen(runs).stream().map(Report::tables).collect(Collectors.joining("\n"));
        int from = page.indexOf(begin(bench)) + begin(bench).length();
        return page.substring(0, from) + "\n" + tables + "\n" + page.substring(from + section.length());
    }

    /** What stands between the benchmark's markers. */
    private static String section(String page, String bench) {
        String begin = begin(bench);
        int from = page.indexOf(begin);
        int to = from < 0 ? -1 : page.indexOf(END, from);
        if (to < 0) {
            throw new IllegalArgumentException(
                    "docs/benchmarks.md has no lines " + begin.strip() + " and " + END + " to write between");
        }
        return page.substring(from + begin.length(), to);
    }

    private static boolean isOf(PageRun run, List<KeptRun> atHand) {
        return atHand.stream().anyMatch(each -> each.began().equals(run.began()));
    }

    static String begin(String bench) {
        return "<!-- run " + bench + " -->\n";
    }

    private static String tables(ReportedRun run) {
        return switch (run) {
            case KeptRun kept -> tables(kept);
            case PageRun onPage -> onPage.tables();
        };
    }

    private static String tables(KeptRun run) {
        List<String> parts = new ArrayList<>();
        parts.add("%s UTC%s; %s.%s\n"
                .formatted(
                        run.began().toString().replace("T", ", ").replace("Z", ""),
                        run.quick() ? ", the quick form" : "",
                        run.machine(),
                        run.versions().entrySet().stream()
                                .sorted(Map.Entry.comparingByKey(String.CASE_INSENSITIVE_ORDER))
                                .map(each -> each.getKey() + " " + each.getValue())
                                .collect(Collectors.joining(", "))
                                .replaceFirst("(?s).+", " $0.")));
        List<String> rows = run.rows();
        for (int from = 0, to; from < rows.size(); from = to) {
            List<String> measures = measures(run, rows.get(from));
            to = from + 1;
            while (to < rows.size() && measures.equals(measures(run, rows.get(to)))) {
                to++;
            }
            List<String> group = rows.subList(from, to);
            if (group.size() == 1 && !group.getFirst().isEmpty()) {
                parts.add("**" + group.getFirst() + "**\n");
            }
            if (!measures.isEmpty()) {
                parts.add(figures(run, group, measures));
            }
            for (String row : group) {
                List<KeptRun.Answer> answers = run.answers().stream()
                        .filter(each -> each.row().equals(row))
                        .toList();
                if (!answers.isEmpty()) {
                    parts.add((group.size() == 1 ? "" : "**" + row + "**\n\n") + answers(answers));
                }
            }
        }
        return String.join("\n", parts);
    }

    private static List<String> measures(KeptRun run, String row) {
        return run.figures().stream()
                .filter(each -> each.row().equals(row))
                .map(KeptRun.Figure::measure)
                .distinct()
                .toList();
    }

    /** Measures across, subjects down. Several rows with the same measures are one table, with a column for the row. */
    private static String figures(KeptRun run, List<String> rows, List<String> measures) {
        boolean several = rows.size() > 1;
        List<String> heading = new ArrayList<>(several ? List.of("", "") : List.of(""));
        heading.addAll(measures);
        List<List<String>> lines = new ArrayList<>();
        for (String row : rows) {
            Map<String, Map<String, String>> cells = new LinkedHashMap<>();
            run.figures().stream()
                    .filter(each -> each.row().equals(row))
                    .forEach(each -> cells.computeIfAbsent(each.subject(), _ -> new HashMap<>())
                            .put(each.measure(), each.show()));
            String name = row;
            for (Map.Entry<String, Map<String, String>> subject : cells.entrySet()) {
                List<String> line =
                        new ArrayList<>(several ? List.of(name, subject.getKey()) : List.of(subject.getKey()));
                measures.forEach(each -> line.add(subject.getValue().getOrDefault(each, "")));
                lines.add(line);
                name = "";
            }
        }
        return table(heading, lines);
    }

    /** Subjects across, clauses down. */
    private static String answers(List<KeptRun.Answer> answers) {
        List<String> subjects =
                answers.stream().map(KeptRun.Answer::subject).distinct().toList();
        List<String> heading = new ArrayList<>(List.of(""));
        heading.addAll(subjects);
        List<List<String>> lines = new ArrayList<>();
        for (String clause :
                answers.stream().map(KeptRun.Answer::clause).distinct().toList()) {
            List<String> line = new ArrayList<>(List.of(clause));
            for (String subject : subjects) {
                line.add(answers.stream()
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
