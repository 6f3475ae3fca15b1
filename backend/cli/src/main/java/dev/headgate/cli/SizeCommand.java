package dev.headgate.cli;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/**
 * Finds the size of a domain's pool on its live load: shows each trial as it ends, then the answer with a policy set, and applies that
 * if asked to. An interrupt (Ctrl-C) cancels the search; the policies decide again at once.
 */
@Command(name = SizeCommand.NAME, exitCodeOnInvalidInput = 2)
final class SizeCommand implements Callable<Integer> {

    static final String NAME = "lab size";

    private static final long LOOK_EVERY_MILLIS = 500;

    private final Surroundings surroundings;

    @Mixin
    private ServiceOptions options;

    @Option(names = "--domain", required = true)
    private String domain = "";

    @Option(names = "--most-seconds")
    private @Nullable Integer mostSeconds;

    @Option(names = "--most")
    private @Nullable Integer most;

    @Option(names = "--most-wait-ms")
    private @Nullable Integer mostWaitMs;

    @Option(names = "--most-p99-ms")
    private @Nullable Integer mostP99Ms;

    @Option(names = "--apply")
    private boolean apply;

    SizeCommand(Surroundings surroundings) {
        this.surroundings = surroundings;
        this.options = new ServiceOptions(surroundings);
    }

    @Override
    public Integer call() {
        Service service = options.service();
        String searches = "/domains/" + Service.encoded(domain) + "/size-searches";
        Map<String, Object> wish = new LinkedHashMap<>();
        put(wish, "mostSeconds", mostSeconds);
        put(wish, "most", most);
        put(wish, "mostWaitMs", mostWaitMs);
        put(wish, "mostP99Ms", mostP99Ms);
        JsonNode begun = service.postJson(searches, wish);
        String search = searches + "/" + begun.path("id").asString();
        Thread cancel = new Thread(() -> service.delete(search), "cancel");
        Runtime.getRuntime().addShutdownHook(cancel);
        JsonNode run;
        try {
            run = await(service, search, begun);
        } finally {
            Runtime.getRuntime().removeShutdownHook(cancel);
        }
        if (!run.path("state").asString().equals("done")) {
            throw CommandFailed.tried("the search is " + run.path("state").asString()
                    + (run.path("problem").isString()
                            ? ": " + run.path("problem").asString()
                            : ""));
        }
        JsonNode answer = run.path("answer");
        surroundings.out().println(answer.path("sentence").asString());
        surroundings.out().println(answer.path("policySet").toPrettyString());
        if (apply) {
            JsonNode put = service.putJson(
                    "/domains/" + Service.encoded(domain) + "/policies",
                    answer.path("policySet"),
                    '"' + answer.path("revision").asString() + '"');
            surroundings
                    .out()
                    .println("Applied as revision " + put.path("revision").asString() + ".");
        }
        return 0;
    }

    private static void put(Map<String, Object> wish, String name, @Nullable Integer value) {
        if (value != null) {
            wish.put(name, value);
        }
    }

    private JsonNode await(Service service, String search, JsonNode begun) {
        surroundings
                .err()
                .printf(
                        Locale.ROOT,
                        "Sizes from %s to %s are tried on the live load of %s, %.1f s each, for %s s at most; %s is in force.%n",
                        begun.path("least").asString(),
                        begun.path("most").asString(),
                        domain,
                        begun.path("trialSeconds").asDouble(),
                        begun.path("mostSeconds").asString(),
                        begun.path("before").asString());
        int shown = 0;
        while (true) {
            JsonNode run = service.getJson(search);
            JsonNode trials = run.path("trials");
            for (; shown < trials.size(); shown++) {
                if (shown == 0) {
                    surroundings.err().println("size   leases/s   wait ms   latency ms   p99 ms   response ms");
                }
                surroundings.err().println(line(trials.get(shown)));
            }
            if (!run.path("state").asString().equals("running")) {
                return run;
            }
            try {
                Thread.sleep(LOOK_EVERY_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw CommandFailed.tried("it was interrupted");
            }
        }
    }

    private static String line(JsonNode trial) {
        String ruledOut = trial.path("ruledOut").asString();
        return String.format(
                Locale.ROOT,
                "%4d %10.0f %9.2f %12.2f %8.2f %13.2f%s",
                trial.path("size").asInt(),
                trial.path("perSecond").asDouble(),
                trial.path("waitMs").asDouble(),
                trial.path("latencyMs").asDouble(),
                trial.path("p99Ms").asDouble(),
                trial.path("responseMs").asDouble(),
                ruledOut.isEmpty() ? "" : "   ruled out: " + ruledOut);
    }
}
