package dev.headgate.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/**
 * Runs a user's load on a domain: sends it to the service, shows its rates and latencies once a second, and removes it. An
 * interrupt (Ctrl-C) removes it too.
 */
@Command(name = LoadCommand.NAME, exitCodeOnInvalidInput = 2)
final class LoadCommand implements Callable<Integer> {

    static final String NAME = "lab load";

    private static final int DEFAULT_SECONDS = 30;
    private static final long LOOK_EVERY_MILLIS = 1_000;
    private static final int MOST_LOOKS_AT_THE_END = 10;

    /** Arrivals that begin later than this, one in a hundred, were held up by the load generator. */
    private static final double LATE_MILLIS = 10;

    private final Surroundings surroundings;

    @Mixin
    private ServiceOptions options;

    @Parameters(arity = "0..*")
    private List<String> files = new ArrayList<>();

    @Option(names = "--domain")
    private @Nullable String domain;

    @Option(names = "--rate")
    private @Nullable Double rate;

    @Option(names = "--seconds")
    private @Nullable Integer wished;

    @Option(names = "--name")
    private @Nullable String name;

    @Option(names = "--replace")
    private boolean replaces;

    @Option(names = "--seed")
    private @Nullable Long seed;

    @Option(names = "-D")
    private Map<String, Double> variables = new LinkedHashMap<>();

    LoadCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
        this.options = new ServiceOptions(surroundings);
    }

    @Override
    public Integer call() {
        if (files.isEmpty()) {
            throw CommandFailed.notTried("lab load needs a file; './headgate lab load --help' says more");
        }
        if (wished != null && (wished < 1 || wished > 86_400)) {
            throw CommandFailed.notTried("--seconds must be in 1..86400, was " + wished);
        }
        Map<String, Object> body = LoadFiles.body(files);
        if (domain != null) {
            body.put("domain", domain);
        }
        if (!body.containsKey("domain")) {
            throw CommandFailed.notTried("lab load needs a domain: --domain, or 'domain' in the file");
        }
        if (rate != null) {
            body.put("ratePerSecond", rate);
        }
        if (seed != null) {
            body.put("seed", seed);
        }
        if (!variables.isEmpty()) {
            body.merge("variables", variables, LoadCommand::together);
        }
        Service service = options.service();
        String path = "/workloads/" + Service.encoded(name != null ? name : LoadFiles.name(files));
        JsonNode _ = replaces ? service.putJson(path, body) : service.makeJson(path, body);
        Thread removal = new Thread(() -> service.delete(path), "removal");
        Runtime.getRuntime().addShutdownHook(removal);
        try {
            surroundings.out().print(report(run(service, path)));
        } finally {
            Runtime.getRuntime().removeShutdownHook(removal);
            service.delete(path);
        }
        return 0;
    }

    /** The file's variables with those of the command in place of the same ones. What is no object is left to the service to refuse. */
    private static Object together(Object ofFile, Object ofCommand) {
        if (!(ofFile instanceof Map<?, ?> file) || !(ofCommand instanceof Map<?, ?> command)) {
            return ofFile;
        }
        Map<Object, Object> all = new LinkedHashMap<>(file);
        all.putAll(command);
        return all;
    }

    /** A load that has ended, and what was seen of it meanwhile. */
    private record Ended(JsonNode workload, double seconds, double offeredPerSecond) {}

    private Ended run(Service service, String path) {
        JsonNode workload = service.getJson(path);
        int most = wished != null ? wished : workload.path("phases").isEmpty() ? DEFAULT_SECONDS : Integer.MAX_VALUE;
        for (int second = 1; second <= most && workload.path("running").asBoolean(true); second++) {
            pause();
            workload = service.getJson(path);
            surroundings.err().println(line(second, workload));
        }
        double lastedMs = Math.max(1, workload.path("total").path("windowMs").asDouble());
        JsonNode stopped = service.patchJson(path, Map.of("running", false));
        for (int i = 0; i < MOST_LOOKS_AT_THE_END && stopped.path("inFlight").asInt() > 0; i++) {
            pause();
            stopped = service.getJson(path);
        }
        long offered = stopped.path("total").path("count").asLong()
                + stopped.path("errors").asLong()
                + stopped.path("refused").asLong()
                + stopped.path("inFlight").asLong();
        return new Ended(stopped, lastedMs / 1e3, offered * 1e3 / lastedMs);
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(LOOK_EVERY_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw CommandFailed.tried("it was interrupted");
        }
    }

    /** Rates and latencies of about the last ten seconds. */
    private static String line(int second, JsonNode workload) {
        JsonNode latency = workload.path("latency");
        return String.format(
                Locale.ROOT,
                "%4d s  %s%.1f/s of %.1f/s  p50 %.1f  p95 %.1f  p99 %.1f ms  in flight %d  errors %d  refused %d",
                second,
                workload.path("phases").isEmpty()
                        ? ""
                        : "phase %d of %d  "
                                .formatted(
                                        workload.path("phase").asInt() + 1,
                                        workload.path("phases").size()),
                workload.path("achievedPerSecond").asDouble(),
                workload.path("offeredPerSecond").asDouble(),
                latency.path("p50Ms").asDouble(),
                latency.path("p95Ms").asDouble(),
                latency.path("p99Ms").asDouble(),
                workload.path("inFlight").asInt(),
                workload.path("errors").asLong(),
                workload.path("refused").asLong());
    }

    private String report(Ended ended) {
        JsonNode workload = ended.workload();
        JsonNode total = workload.path("total");
        StringBuilder page = new StringBuilder(String.format(
                Locale.ROOT,
                "%s on %s: %d transactions in %s s, %.1f/s of %.1f/s offered%n"
                        + "Latency from the scheduled arrival: mean %.1f, p50 %.1f, p95 %.1f, p99 %.1f, max %.1f ms%n"
                        + "Errors %d, refused %d%n",
                workload.path("name").asString(),
                workload.path("domain").asString(),
                total.path("count").asLong(),
                tenths(ended.seconds()),
                total.path("count").asLong() / ended.seconds(),
                ended.offeredPerSecond(),
                total.path("meanMs").asDouble(),
                total.path("p50Ms").asDouble(),
                total.path("p95Ms").asDouble(),
                total.path("p99Ms").asDouble(),
                total.path("maxMs").asDouble(),
                workload.path("errors").asLong(),
                workload.path("refused").asLong()));
        page.append(phases(workload));
        if (workload.path("lastError").isString()) {
            page.append("The last error: ")
                    .append(workload.path("lastError").asString())
                    .append('\n');
        }
        if (workload.path("inFlight").asInt() > 0) {
            page.append(workload.path("inFlight").asInt()).append(" arrivals have not ended and are not counted.\n");
        }
        if (workload.path("dropped").asLong() > 0) {
            page.append(workload.path("dropped").asLong())
                    .append(
                            " of the refused were dropped at the source, because 1,000 arrivals were in flight: the pool or")
                    .append(" the database is too slow for this rate.\n");
        }
        double late = workload.path("totalLateMs").asDouble();
        page.append(String.format(
                Locale.ROOT,
                late > LATE_MILLIS
                        ? "The load generator was a bottleneck: one arrival in a hundred began %.1f ms late or later, which is part of"
                                + " these latencies.%n"
                        : "The load generator kept up: 99 %% of arrivals began within %.1f ms of their time.%n",
                late));
        return page.toString();
    }

    /** A line for each phase; empty without phases. */
    private static String phases(JsonNode workload) {
        StringBuilder lines = new StringBuilder();
        String unit = workload.path("users").isNumber() ? " users" : "/s";
        int number = 0;
        for (JsonNode phase : workload.path("phases")) {
            JsonNode latency = phase.path("latency");
            double from = phase.path("from").asDouble();
            double to = phase.path("to").asDouble();
            double seconds = Math.max(0.001, latency.path("windowMs").asDouble() / 1e3);
            lines.append(String.format(
                    Locale.ROOT,
                    "Phase %d, %s%s: %.1f/s of %.1f/s offered in %s s, mean %.1f, p50 %.1f, p95 %.1f, p99 %.1f ms, errors %d, refused %d%s%n",
                    ++number,
                    from == to ? number(from) : number(from) + " to " + number(to),
                    unit,
                    latency.path("count").asLong() / seconds,
                    phase.path("offered").asLong() / seconds,
                    tenths(seconds),
                    latency.path("meanMs").asDouble(),
                    latency.path("p50Ms").asDouble(),
                    latency.path("p95Ms").asDouble(),
                    latency.path("p99Ms").asDouble(),
                    phase.path("errors").asLong(),
                    phase.path("refused").asLong(),
                    phase.path("warmUp").asBoolean() ? " (warm-up, counts for nothing else)" : ""));
        }
        return lines.toString();
    }

    private static String tenths(double seconds) {
        return number(Math.rint(seconds * 10) / 10);
    }

    private static String number(double level) {
        return level == Math.rint(level) ? Long.toString((long) level) : Double.toString(level);
    }
}
