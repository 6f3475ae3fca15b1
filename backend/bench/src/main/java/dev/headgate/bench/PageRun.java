package dev.headgate.bench;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A run as docs/benchmarks.md shows it. Where the run's file is not at hand, {@link Report} keeps its tables as they stand. So this
 * class reads when the run began and which row each line belongs to, and leaves the figures as text.
 *
 * @param heading the line above the tables
 */
record PageRun(Instant began, boolean quick, String heading, List<Part> parts) implements ReportedRun {

    /**
     * Lines of one row.
     *
     * @param row empty if the benchmark has no rows
     * @param head the first two lines of a table that several rows share; empty for lines that stand alone
     */
    record Part(String row, String head, String lines) {}

    private static final Pattern HEADING =
            Pattern.compile("(\\d{4}-\\d\\d-\\d\\d), (\\d\\d:\\d\\d:\\d\\d) UTC(, the quick form)?; .*");
    private static final Pattern ROW = Pattern.compile("\\*\\*(.+)\\*\\*");

    /** A table that several rows share: its first two columns, row and subject, have no name. */
    private static final Pattern SHARED = Pattern.compile("\\|  \\|  \\| .+\n\\|( --- \\|)+(\n\\| .* \\| .*)+");

    PageRun {
        parts = List.copyOf(parts);
    }

    /** The runs in a benchmark's section of the page, in their order. Text before the first heading belongs to none. */
    static List<PageRun> all(String section) {
        List<String> paragraphs = List.of(section.strip().split("\n{2,}"));
        List<PageRun> runs = new ArrayList<>();
        int end = paragraphs.size();
        for (int at = end - 1; at >= 0; at--) {
            Matcher heading = HEADING.matcher(paragraphs.get(at));
            if (heading.matches()) {
                runs.addFirst(new PageRun(
                        Instant.parse(heading.group(1) + "T" + heading.group(2) + "Z"),
                        heading.group(3) != null,
                        heading.group(),
                        parts(paragraphs.subList(at + 1, end))));
                end = at;
            }
        }
        return runs;
    }

    private static List<Part> parts(List<String> paragraphs) {
        List<Part> parts = new ArrayList<>();
        String row = "";
        for (String paragraph : paragraphs) {
            if (SHARED.matcher(paragraph).matches()) {
                parts.addAll(ofSharedTable(paragraph.lines().toList()));
            } else {
                Matcher name = ROW.matcher(paragraph);
                row = name.matches() ? name.group(1) : row;
                parts.add(new Part(row, "", paragraph + "\n"));
            }
        }
        return parts;
    }

    /** Each row of a table that several share. Only its first line names it. */
    private static List<Part> ofSharedTable(List<String> lines) {
        String head = lines.get(0) + "\n" + lines.get(1) + "\n";
        List<Part> parts = new ArrayList<>();
        for (String line : lines.subList(2, lines.size())) {
            String name = line.substring(2, line.indexOf(" | ", 2)).replace("\\|", "|");
            if (name.isEmpty() && !parts.isEmpty()) {
                Part last = parts.removeLast();
                parts.add(new Part(last.row(), head, last.lines() + line + "\n"));
            } else {
                parts.add(new Part(name, head, line + "\n"));
            }
        }
        return parts;
    }

    @Override
    public List<String> rows() {
        return parts.stream().map(Part::row).distinct().toList();
    }

    @Override
    public PageRun only(Collection<String> rows) {
        return new PageRun(
                began,
                quick,
                heading,
                parts.stream().filter(each -> rows.contains(each.row())).toList());
    }

    /** The heading and the tables, as they stood on the page. */
    String tables() {
        StringBuilder text = new StringBuilder(heading).append('\n');
        String head = "";
        for (Part part : parts) {
            if (part.head().isEmpty() || !part.head().equals(head)) {
                text.append('\n').append(part.head());
            }
            text.append(part.lines());
            head = part.head();
        }
        return text.toString();
    }
}
