package dev.headgate.cli;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/**
 * Runs an experiment in the service, shows its progress, and prints its report in Markdown; or all of them, one after another, and
 * prints how long each took. An interrupt (Ctrl-C) cancels the run. Also lists experiments and runs, and compares two runs.
 */
@Command(name = LabCommand.NAME, exitCodeOnInvalidInput = 2)
final class LabCommand implements Callable<Integer> {

    static final String NAME = "lab";

    private static final String RUNS = "/experiments/runs/";
    private static final long LOOK_EVERY_MILLIS = 500;

    private final Surroundings surroundings;

    @Mixin
    private ServiceOptions options;

    @Parameters(arity = "0..1")
    private @Nullable String name;

    @Option(names = "--list")
    private boolean list;

    @Option(names = "--runs")
    private boolean runs;

    @Option(names = "--all")
    private boolean all;

    @Option(names = "--full")
    private boolean full;

    @Option(names = "--quick")
    private boolean quick;

    @Option(names = "--set")
    private Map<String, Double> values = new LinkedHashMap<>();

    @Option(names = "--seed")
    private @Nullable Long seed;

    @Option(names = "--report")
    private @Nullable String report;

    @Option(names = "--compare", arity = "2")
    private List<String> compared = new ArrayList<>();

    @Option(names = "--to")
    private @Nullable Path folder;

    LabCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
        this.options = new ServiceOptions(surroundings);
    }

    @Override
    public Integer call() {
        if (quick && full) {
            throw CommandFailed.notTried("--quick and --full cannot be given together");
        }
        if (all && name != null) {
            throw CommandFailed.notTried("--all runs every experiment; it takes no name, was given " + name);
        }
        if (all && !values.isEmpty()) {
            throw CommandFailed.notTried("--set is for one experiment, and cannot be given with --all");
        }
        if (folder != null) {
            make(folder);
        }
        Service service = options.service();
        if (!compared.isEmpty()) {
            surroundings.out().print(comparison(service, compared.get(0), compared.get(1)));
        } else if (report != null) {
            print(service, report);
        } else if (runs) {
            surroundings.out().print(runs(service));
        } else if (all) {
            return runAll(service);
        } else if (list || name == null) {
            surroundings.out().print(experiments(service));
        } else {
            print(service, run(service, name));
        }
        return 0;
    }

    private static String experiments(Service service) {
        StringBuilder page = new StringBuilder();
        for (JsonNode each : service.getItems("/experiments")) {
            page.append(each.path("name").asString())
                    .append("\n  ")
                    .append(each.path("question").asString())
                    .append("\n  After ")
                    .append(each.path("source").asString())
                    .append(".\n");
            each.path("parameters")
                    .forEach(parameter -> page.append("    --set %s=%s  %s (%s..%s%s; with --full %s)\n"
                            .formatted(
                                    parameter.path("name").asString(),
                                    number(parameter.path("quick")),
                                    parameter.path("description").asString(),
                                    number(parameter.path("least")),
                                    number(parameter.path("most")),
                                    unit(parameter),
                                    number(parameter.path("full")))));
        }
        return page.toString();
    }

    /** After the bounds; nothing of a number that has none. */
    private static String unit(JsonNode parameter) {
        String unit = parameter.path("unit").asString("");
        return unit.isEmpty() ? "" : " " + unit;
    }

    private static String runs(Service service) {
        StringBuilder page = new StringBuilder();
        for (JsonNode each : service.getItems("/experiments/runs")) {
            page.append("%-5s %-18s %-5s %-9s %s%n"
                    .formatted(
                            each.path("id").asString(),
                            each.path("experiment").asString(),
                            each.path("form").asString(),
                            each.path("state").asString(),
                            each.path("startedAt").asString()));
        }
        return page.isEmpty() ? "No experiment has been run.\n" : page.toString();
    }

    /** Also goes on after one that failed. */
    private int runAll(Service service) {
        double total = 0;
        int failed = 0;
        int number = 0;
        List<JsonNode> experiments = service.getItems("/experiments");
        for (JsonNode each : experiments) {
            String experiment = each.path("name").asString();
            surroundings.err().println("%d of %d: %s".formatted(++number, experiments.size(), experiment));
            JsonNode run = end(service, experiment);
            boolean done = run.path("state").asString().equals("done");
            double seconds = seconds(run);
            total += seconds;
            failed += done ? 0 : 1;
            String id = run.path("id").asString();
            surroundings
                    .out()
                    .print(String.format(
                            Locale.ROOT,
                            "%-18s %6.1f s  %s%n",
                            experiment,
                            seconds,
                            done ? "run " + id : unfinished(run)));
            if (done && folder != null) {
                write(service, id, folder);
            }
        }
        surroundings
                .out()
                .print(String.format(
                        Locale.ROOT,
                        "%d experiments in %.1f s (%.1f minutes)%s%n",
                        experiments.size(),
                        total,
                        total / 60,
                        failed == 0 ? "" : ", " + failed + " of them failed"));
        return failed == 0 ? 0 : 1;
    }

    /** How long a run took that has ended. */
    private static double seconds(JsonNode run) {
        return Duration.between(
                                Instant.parse(run.path("startedAt").asString()),
                                Instant.parse(run.path("endedAt").asString()))
                        .toMillis()
                / 1e3;
    }

    private static String unfinished(JsonNode run) {
        return "the run " + run.path("id").asString() + " is "
                + run.path("state").asString()
                + (run.path("problem").isString() ? ": " + run.path("problem").asString() : "");
    }

    /** Returns the id of the run when it is done. */
    private String run(Service service, String experiment) {
        JsonNode run = end(service, experiment);
        if (!run.path("state").asString().equals("done")) {
            throw CommandFailed.tried(unfinished(run));
        }
        return run.path("id").asString();
    }

    /** Runs an experiment and returns the run when it has ended. */
    private JsonNode end(Service service, String experiment) {
        Map<String, Object> wish = new LinkedHashMap<>();
        wish.put("form", full ? "full" : "quick");
        wish.put("values", values);
        if (seed != null) {
            wish.put("seed", seed);
        }
        String id = service.postJson("/experiments/" + Service.encoded(experiment) + "/runs", wish)
                .path("id")
                .asString();
        Thread cancel = new Thread(cancelling(service, id), "cancel");
        Runtime.getRuntime().addShutdownHook(cancel);
        try {
            return await(service, id);
        } finally {
            Runtime.getRuntime().removeShutdownHook(cancel);
        }
    }

    /** What an interrupt does. A run that has ended since it was last looked at stays. */
    static Runnable cancelling(Service service, String id) {
        return () -> {
            JsonNode _ = service.postForJson(RUNS + id + "/cancel");
        };
    }

    private JsonNode await(Service service, String id) {
        String last = "";
        while (true) {
            JsonNode run = service.getJson(RUNS + id);
            if (!run.path("state").asString().equals("running")) {
                return run;
            }
            String line = String.format(
                    Locale.ROOT,
                    "%3.0f %%  %s",
                    100 * run.path("progress").asDouble(),
                    run.path("doing").asString(""));
            if (!line.equals(last)) {
                surroundings.err().println(line);
                last = line;
            }
            try {
                Thread.sleep(LOOK_EVERY_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw CommandFailed.tried("it was interrupted");
            }
        }
    }

    private void print(Service service, String id) {
        HttpResponse<byte[]> markdown = service.get(RUNS + Service.encoded(id) + "/report.md");
        surroundings.out().print(new String(markdown.body(), StandardCharsets.UTF_8));
        if (folder != null) {
            write(service, id, folder);
        }
    }

    /** Before anything runs: a run takes minutes. */
    private static void make(Path folder) {
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw CommandFailed.notTried("the folder '" + folder + "' of --to cannot be made");
        }
    }

    /** Writes the report, its samples and its charts as files; the report shows the charts that lie beside it. */
    private void write(Service service, String id, Path to) {
        JsonNode run = service.getJson(RUNS + Service.encoded(id));
        String base = run.path("experiment").asString();
        try {
            Files.write(
                    to.resolve(base + ".md"),
                    service.get(RUNS + Service.encoded(id) + "/report.md?pictures=true")
                            .body());
            Files.write(
                    to.resolve(base + ".csv"),
                    service.get(RUNS + Service.encoded(id) + "/samples.csv").body());
            Files.writeString(to.resolve(base + ".json"), run.toString() + "\n");
            for (int i = 0; i < run.path("report").path("charts").size(); i++) {
                Files.write(
                        to.resolve(base + "-" + (i + 1) + ".svg"),
                        service.get(RUNS + Service.encoded(id) + "/charts/" + i).body());
            }
            surroundings.err().println("Written to " + to);
        } catch (IOException e) {
            throw CommandFailed.tried("the report cannot be written to " + to + ": " + e.getMessage());
        }
    }

    private static String comparison(Service service, String first, String second) {
        JsonNode compared = service.getJson(
                "/experiments/comparison?first=" + Service.encoded(first) + "&second=" + Service.encoded(second));
        String one = compared.path("experiment").asString();
        String other = compared.path("secondExperiment").asString();
        StringBuilder page = new StringBuilder(
                        one.equals(other)
                                ? "%s: run %s beside run %s".formatted(one, second, first)
                                : "run %s of %s beside run %s of %s".formatted(second, other, first, one))
                .append(compared.path("sameSetUp").asBoolean() ? "" : " (another machine, version or other values)")
                .append("\n\n");
        if (compared.path("rows").isEmpty()) {
            page.append("They measured nothing in common.\n");
        } else {
            rows(page, compared.path("rows"), first, second);
        }
        only(page, first, compared.path("firstOnly"));
        only(page, second, compared.path("secondOnly"));
        return page.toString();
    }

    private static void rows(StringBuilder page, JsonNode rows, String first, String second) {
        page.append("| measure | unit | run %s | run %s | ratio | chance | |%n".formatted(first, second));
        page.append("| --- | --- | --- | --- | --- | --- | --- |\n");
        rows.forEach(row -> page.append(String.format(
                Locale.ROOT,
                "| %s | %s | %.3g | %.3g | %s | %s | %s |%n",
                row.path("measure").asString(),
                row.path("unit").asString(),
                row.path("first").asDouble(),
                row.path("second").asDouble(),
                ratio(row),
                chance(row.path("chance")),
                row.path("outcome").asString().replace('-', ' '))));
        page.append(
                "\nchance: that samples which do not differ are ranked so differently, corrected for the number of measures."
                        + " A machine that was slower during one run makes a difference, too.\n");
    }

    private static void only(StringBuilder page, String run, JsonNode measures) {
        if (measures.isEmpty()) {
            return;
        }
        page.append("\nonly run ").append(run).append(" measured: ");
        page.append(measures.valueStream()
                .map(measure -> String.format(
                                Locale.ROOT,
                                "%s %.3g %s",
                                measure.path("measure").asString(),
                                measure.path("median").asDouble(),
                                measure.path("unit").asString())
                        .strip())
                .collect(Collectors.joining(", ")));
        page.append('\n');
    }

    /** A dash where the first is 0: nothing is so many times as much. */
    private static String ratio(JsonNode row) {
        return row.path("first").asDouble() == 0
                ? "-"
                : String.format(Locale.ROOT, "%.2f", row.path("ratio").asDouble());
    }

    /** A dash where there are too few samples to tell. No chance is 0. */
    private static String chance(JsonNode value) {
        if (!value.isNumber()) {
            return "-";
        }
        return value.asDouble() < 0.001 ? "< 0.001" : String.format(Locale.ROOT, "%.3f", value.asDouble());
    }

    private static String number(JsonNode value) {
        double number = value.asDouble();
        return number == Math.rint(number) ? Long.toString((long) number) : Double.toString(number);
    }
}
