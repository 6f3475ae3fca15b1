package dev.headgate.bench;

import dev.headgate.lab.experiment.Machine;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a benchmark measured: figures and answers, by row and subject. It prints them and keeps them, so a figure that was printed is
 * also on the page that {@link Report} writes. A ratio is a figure of its own.
 *
 * <pre>{@code
 * Sheet.Entry ours = sheet.entry("simple, 8 clients", "Headgate");
 * Sheet.Entry theirs = sheet.entry("simple, 8 clients", "PgBouncer");
 * for (int run = 0; run < runs; run++) {
 *     ours.add("transactions/s", "%.0f", rate(...));
 *     theirs.add("transactions/s", "%.0f", rate(...));
 * }
 * ours.times(theirs, "transactions/s", "at least 1");
 * sheet.print();
 * }</pre>
 *
 * <p>A row has the same name in the quick form: it is what a later run replaces on the page. Belongs to one thread.
 */
public final class Sheet {

    private final String bench;
    private final Instant began = Instant.now();
    private final String machine = Machine.describe();
    private final Map<String, String> versions = new LinkedHashMap<>();
    private final Map<String, Map<String, Entry>> rows = new LinkedHashMap<>();
    private final Set<Printed> printed = new HashSet<>();
    private boolean quick;

    private record Printed(String row, String subject, String measure) {}

    /** @param quick whether runs are fewer and shorter */
    Sheet(String bench, boolean quick) {
        this.bench = bench;
        this.quick = quick;
        version("Headgate", KeptRun.headgate());
    }

    /** Marks the run as one whose figures say little, as {@code --quick} does. */
    public void markQuick() {
        quick = true;
    }

    /** The version of something that was measured. */
    public void version(String name, String version) {
        versions.put(name, version);
    }

    /** A subject in a row. Subjects stand in the order in which they are first asked for; a figure is compared with the first one's. */
    public Entry entry(String row, String subject) {
        return rows.computeIfAbsent(row, _ -> new LinkedHashMap<>())
                .computeIfAbsent(subject, _ -> new Entry(row, subject));
    }

    /** Adds what another JVM has measured, and the versions of what it measured. */
    void add(KeptRun other) {
        other.versions().forEach(this::version);
        for (KeptRun.Figure each : other.figures()) {
            Entry entry = entry(each.row(), each.subject());
            entry.add(
                    each.measure(),
                    each.format(),
                    each.values().stream().mapToDouble(Double::doubleValue).toArray());
            if (each.bar() != null) {
                entry.bar(each.measure(), each.bar());
            }
        }
        other.answers().forEach(each -> entry(each.row(), each.subject()).answer(each.clause(), each.said()));
    }

    /** The figures and answers of one subject in one row. */
    public static final class Entry {

        private final String row;
        private final String subject;
        private final Map<String, KeptRun.Figure> figures = new LinkedHashMap<>();
        private final Map<String, String> answers = new LinkedHashMap<>();

        private Entry(String row, String subject) {
            this.row = row;
            this.subject = subject;
        }

        /** Adds the value of a run, or of several. @param format of a value, for {@link String#format} */
        public void add(String measure, String format, double... values) {
            KeptRun.Figure before = figures.get(measure);
            List<Double> all = new ArrayList<>(before == null ? List.of() : before.values());
            for (double value : values) {
                all.add(value);
            }
            figures.put(
                    measure,
                    new KeptRun.Figure(row, measure, format, subject, all, before == null ? null : before.bar()));
        }

        /** The same. @param bar what the figure must reach, in words */
        public void add(String measure, String format, String bar, double... values) {
            add(measure, format, values);
            bar(measure, bar);
        }

        /** A duration, in milliseconds. */
        public void addMillis(String measure, long nanos) {
            add(measure, "%.1f", nanos / 1e6);
        }

        /** Says that it did not happen in this run. */
        public void never(String measure) {
            add(measure, "%.1f");
        }

        /** Adds what cannot be said by a number. */
        public void answer(String question, String said) {
            answers.put(question, said);
        }

        /** Says what the figure must reach. @throws IllegalArgumentException if there is no such figure */
        public void bar(String measure, String bar) {
            KeptRun.Figure figure = figure(measure);
            figures.put(measure, new KeptRun.Figure(row, measure, figure.format(), subject, figure.values(), bar));
        }

        /** Adds the ratio of a figure to that of another subject, of the medians and run by run. @param bar of the former */
        public void times(Entry other, String measure, String bar) {
            add(ratioTo(other, measure), "%.2f", bar, median(measure) / other.median(measure));
            timesRunByRun(other, measure);
        }

        /** Adds only the ratio run by run. */
        public void timesRunByRun(Entry other, String measure) {
            Figures ratios = Figures.ratio(values(measure), other.values(measure));
            add(ratioTo(other, measure) + ", run by run", "%.2f", ratios.values());
        }

        /** The same. @param bar of its median */
        public void timesRunByRun(Entry other, String measure, String bar) {
            timesRunByRun(other, measure);
            bar(ratioTo(other, measure) + ", run by run", bar);
        }

        private static String ratioTo(Entry other, String measure) {
            return measure + ", in multiples of " + other.subject;
        }

        /** In the order of the runs. @throws IllegalArgumentException if there is no such figure */
        public double[] values(String measure) {
            return figure(measure).values().stream()
                    .mapToDouble(Double::doubleValue)
                    .toArray();
        }

        public double median(String measure) {
            return figure(measure).sorted().median();
        }

        private Stream<String> measures() {
            return Stream.concat(figures.keySet().stream(), answers.keySet().stream());
        }

        private KeptRun.Figure figure(String measure) {
            KeptRun.Figure figure = figures.get(measure);
            if (figure == null) {
                throw new IllegalArgumentException(row + ", " + subject + " has no figure '" + measure + "'");
            }
            return figure;
        }
    }

    /** Prints the figures and answers that it has not printed yet, each measure with its ratio to that of the row's first subject. */
    public void print() {
        rows.forEach((row, subjects) -> subjects.values().stream()
                .flatMap(Entry::measures)
                .distinct()
                .forEach(measure -> print(measure, List.copyOf(subjects.values()))));
    }

    private void print(String measure, List<Entry> subjects) {
        List<Entry> fresh = subjects.stream()
                .filter(each -> each.measures().anyMatch(measure::equals))
                .filter(each -> printed.add(new Printed(each.row, each.subject, measure)))
                .toList();
        if (!fresh.isEmpty()) {
            String row = fresh.getFirst().row;
            System.out.println("  " + row + (row.isEmpty() ? "" : ": ") + measure);
        }
        for (Entry each : fresh) {
            KeptRun.Figure figure = each.figures.get(measure);
            System.out.printf(
                    "    %-24s %s%s%n",
                    each.subject,
                    figure == null ? each.answers.get(measure) : figure.show(),
                    ratio(figure, subjects.getFirst(), measure));
        }
    }

    /** Empty if they were measured once: such figures are often counts. */
    private static String ratio(KeptRun.@Nullable Figure figure, Entry first, String measure) {
        KeptRun.Figure beside = first.figures.get(measure);
        if (figure == null || beside == null || figure == beside) {
            return "";
        }
        boolean several = figure.values().size() > 1 && beside.values().size() > 1;
        return !several || beside.sorted().median() == 0
                ? ""
                : String.format(
                        Locale.ROOT,
                        "  %.2f of %s's",
                        figure.sorted().median() / beside.sorted().median(),
                        first.subject);
    }

    /** The run as far as it was printed: a row that was cut short is not in it. */
    KeptRun kept() {
        List<KeptRun.Figure> figures = new ArrayList<>();
        List<KeptRun.Answer> answers = new ArrayList<>();
        rows.forEach((row, subjects) -> subjects.forEach((subject, entry) -> {
            entry.figures.values().stream()
                    .filter(each -> printed.contains(new Printed(row, subject, each.measure())))
                    .forEach(figures::add);
            entry.answers.forEach((question, said) -> {
                if (printed.contains(new Printed(row, subject, question))) {
                    answers.add(new KeptRun.Answer(row, question, subject, said));
                }
            });
        }));
        return new KeptRun(bench, began, quick, machine, versions, figures, answers);
    }
}
