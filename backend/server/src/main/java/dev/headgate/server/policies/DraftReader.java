package dev.headgate.server.policies;

import dev.headgate.server.api.Scope;
import dev.headgate.server.api.WhenExhaustedJson;
import dev.headgate.server.plugins.InstalledPlugin;
import dev.headgate.server.plugins.ParameterSchema;
import dev.headgate.server.plugins.PluginCatalog;
import dev.headgate.server.problems.Fault;
import dev.headgate.spi.InvalidParametersException;
import dev.headgate.spi.Limits;
import dev.headgate.spi.Parameters;
import dev.headgate.spi.WhenExhausted;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads a policy set and finds every fault in it: unknown plugins, parameters that the plugin's schema or the plugin itself
 * refuses, and policies that contradict each other or the budget. Changes nothing.
 */
@Component
final class DraftReader {

    private static final TypeReference<Map<String, Object>> OBJECT = new TypeReference<>() {};
    private static final int MOST_POLICIES = 16;
    private static final int LONGEST_COMMENT = 500;
    private static final long LONGEST_TIMEOUT_MS = TimeUnit.HOURS.toMillis(1);
    private static final int DEEPEST_QUEUE = 1_000_000;
    private static final long DEFAULT_TIMEOUT_MS = 5_000;
    private static final int DEFAULT_DEPTH = 1_000;
    private static final WhenExhaustedJson DEFAULT = new WhenExhaustedJson("queue", DEFAULT_TIMEOUT_MS, DEFAULT_DEPTH);

    private final PluginCatalog plugins;
    private final JsonMapper json;

    DraftReader(PluginCatalog plugins, JsonMapper json) {
        this.plugins = plugins;
        this.json = json;
    }

    /** A kept set, with what stands for what was left out at its top. */
    static PolicySetRequest withDefaults(PolicySetRequest set, Scope scope) {
        return set.whenExhausted() == null && scope.kind() == Scope.Kind.DOMAIN
                ? new PolicySetRequest(set.policies(), DEFAULT, set.comment())
                : set;
    }

    Draft read(PolicySetRequest request, Surroundings around) {
        List<Fault> faults = new ArrayList<>();
        List<String> warnings = new ArrayList<>();
        List<Draft.Part> parts = new ArrayList<>();
        List<Draft.Tried> tried = new ArrayList<>();

        checkComment(request.comment(), faults);
        @Nullable WhenExhaustedJson whenExhausted = whenExhausted(request.whenExhausted(), around.scope(), faults);
        List<PolicySetRequest.@Nullable PolicyUseRequest> uses =
                request.policies() == null ? List.of() : request.policies();
        if (request.policies() == null) {
            faults.add(Fault.at("/policies", "is missing", "an array of policies"));
        } else if (uses.size() > MOST_POLICIES) {
            faults.add(Fault.at(
                    "/policies", "must hold at most " + MOST_POLICIES + ", has " + uses.size(), "0.." + MOST_POLICIES));
        }
        List<PolicySetRequest.PolicyUseRequest> kept = new ArrayList<>();
        for (int i = 0; i < Math.min(uses.size(), MOST_POLICIES); i++) {
            PolicySetRequest.@Nullable PolicyUseRequest use = uses.get(i);
            if (use == null) {
                faults.add(Fault.at("/policies/" + i, "must not be null", "a policy"));
                continue;
            }
            Optional<Draft.Part> part = part(use, "/policies/" + i, faults);
            kept.add(part.map(Draft.Part::version).map(use::withVersion).orElse(use));
            if (part.isPresent()) {
                parts.add(part.get());
                tryOut(part.get(), i, around, faults).ifPresent(tried::add);
            }
        }
        int guaranteed = 0;
        if (tried.size() == uses.size()) {
            checkBounds(tried, around, faults, warnings);
            guaranteed = checkGuarantee(tried, uses, around, faults);
        }
        return new Draft(
                new PolicySetRequest(List.copyOf(kept), whenExhausted, request.comment()),
                List.copyOf(parts),
                engine(whenExhausted),
                List.copyOf(faults),
                List.copyOf(warnings),
                guaranteed);
    }

    private static void checkComment(@Nullable String comment, List<Fault> faults) {
        if (comment != null && comment.length() > LONGEST_COMMENT) {
            faults.add(Fault.at(
                    "/comment",
                    "must have at most " + LONGEST_COMMENT + " characters, has " + comment.length(),
                    "0.." + LONGEST_COMMENT + " characters"));
        }
    }

    private Optional<Draft.Part> part(PolicySetRequest.PolicyUseRequest use, String at, List<Fault> faults) {
        String known =
                plugins.list().stream().map(InstalledPlugin::id).distinct().collect(Collectors.joining(", "));
        if (use.plugin() == null) {
            faults.add(Fault.at(at + "/plugin", "is missing", known));
            return Optional.empty();
        }
        List<InstalledPlugin> versions = plugins.versions(use.plugin());
        if (versions.isEmpty()) {
            faults.add(Fault.at(at + "/plugin", "'" + use.plugin() + "' is not installed", known));
            return Optional.empty();
        }
        Optional<InstalledPlugin> plugin = versions.stream()
                .filter(each -> use.version() == null || each.version().text().equals(use.version()))
                .reduce((older, newer) -> newer);
        if (plugin.isEmpty()) {
            faults.add(Fault.at(
                    at + "/version",
                    "'" + use.version() + "' of " + use.plugin() + " is not installed",
                    versions.stream().map(each -> each.version().text()).collect(Collectors.joining(", "))));
            return Optional.empty();
        }
        ObjectNode parameters = use.parameters() == null ? json.createObjectNode() : json.valueToTree(use.parameters());
        try {
            ParameterSchema schema = plugin.get().schema();
            schema.fillDefaults(parameters);
            List<Fault> found = schema.check(parameters);
            found.forEach(fault -> faults.add(fault.under(at + "/parameters")));
            if (!found.isEmpty()) {
                return Optional.empty();
            }
        } catch (RuntimeException e) {
            faults.add(Fault.at(at, "cannot be checked: the schema of " + use.plugin() + " is broken: " + said(e)));
            return Optional.empty();
        }
        return Optional.of(new Draft.Part(
                use.plugin(),
                plugin.get().version().text(),
                plugin.get().factory(),
                Parameters.of(withoutNulls(json.convertValue(parameters, OBJECT)))));
    }

    private static Optional<Draft.Tried> tryOut(Draft.Part part, int index, Surroundings around, List<Fault> faults) {
        String at = "/policies/" + index;
        try {
            Trial trial = Trial.of(part, around.scope().name(), around.database(), around.budget());
            return Optional.of(new Draft.Tried(index, part.plugin(), trial));
        } catch (InvalidParametersException e) {
            for (InvalidParametersException.Fault fault : e.faults()) {
                faults.add(Fault.at(at + "/parameters/" + fault.parameter(), fault.problem()));
            }
        } catch (Trial.FailedException e) {
            faults.add(Fault.at(at, part.plugin() + " " + e.getMessage()));
        }
        return Optional.empty();
    }

    /** Compares what policies that do not learn say of floor and ceiling: that will not change by itself. */
    private static void checkBounds(
            List<Draft.Tried> tried, Surroundings around, List<Fault> faults, List<String> warnings) {
        List<Draft.Tried> fixed =
                tried.stream().filter(t -> !t.trial().adaptive()).toList();
        if (fixed.isEmpty()) {
            return;
        }
        Draft.Tried highestFloor = fixed.stream()
                .max(Comparator.comparingInt(t -> t.limits().floor()))
                .orElseThrow();
        Draft.Tried lowestCeiling = fixed.stream()
                .min(Comparator.comparingInt(t -> t.limits().ceiling()))
                .orElseThrow();
        int floor = highestFloor.limits().floor();
        int ceiling = lowestCeiling.limits().ceiling();
        if (floor > ceiling) {
            faults.add(Fault.at(
                    "/policies/" + highestFloor.index(),
                    highestFloor.plugin() + " keeps a floor of " + floor + ", above the ceiling of " + ceiling
                            + " that " + lowestCeiling.plugin() + " at /policies/" + lowestCeiling.index() + " sets",
                    "a floor of 0.." + ceiling));
        }
        if (floor > around.budget()) {
            warnings.add("The floor of " + floor + " is above the budget of " + around.budget() + " of "
                    + around.database() + " and will not be reached.");
        } else if (ceiling != Limits.UNSPECIFIED && ceiling > around.budget()) {
            warnings.add("The ceiling of " + ceiling + " is above the budget of " + around.budget() + " of "
                    + around.database() + ", which holds.");
        }
    }

    private static int checkGuarantee(
            List<Draft.Tried> tried,
            List<PolicySetRequest.@Nullable PolicyUseRequest> uses,
            Surroundings around,
            List<Fault> faults) {
        Optional<Draft.Tried> binding = tried.stream()
                .filter(t -> t.limits().guaranteed() != Limits.UNSPECIFIED)
                .min(Comparator.comparingInt(t -> t.limits().guaranteed()));
        if (binding.isEmpty() || around.scope().kind() == Scope.Kind.DATABASE) {
            return 0;
        }
        int guaranteed = binding.get().limits().guaranteed();
        int left = Math.max(0, around.budget() - around.promised());
        if (guaranteed > left) {
            int index = binding.get().index();
            PolicySetRequest.@Nullable PolicyUseRequest use = uses.get(index);
            boolean named =
                    use != null && use.parameters() != null && use.parameters().containsKey("guaranteed");
            faults.add(Fault.at(
                    "/policies/" + index + (named ? "/parameters/guaranteed" : ""),
                    "guarantees " + guaranteed + " connections; with the " + around.promised()
                            + " guaranteed to its siblings that is more than the budget of " + around.budget() + " of "
                            + around.database(),
                    "0.." + left));
        }
        return guaranteed;
    }

    private static @Nullable WhenExhaustedJson whenExhausted(
            @Nullable WhenExhaustedJson given, Scope scope, List<Fault> faults) {
        if (given == null) {
            return scope.kind() == Scope.Kind.DOMAIN ? DEFAULT : null;
        }
        if (given.mode() == null || !given.mode().matches("queue|fail|reject")) {
            faults.add(Fault.at(
                    "/whenExhausted/mode",
                    given.mode() == null ? "is missing" : "cannot be '" + given.mode() + "'",
                    "queue, fail, reject"));
            return DEFAULT;
        }
        long timeoutMs = given.timeoutMs() == null ? DEFAULT_TIMEOUT_MS : given.timeoutMs();
        int depth = given.depth() == null ? DEFAULT_DEPTH : given.depth();
        if (timeoutMs < 1 || timeoutMs > LONGEST_TIMEOUT_MS) {
            faults.add(Fault.at(
                    "/whenExhausted/timeoutMs",
                    "must be 1 to " + LONGEST_TIMEOUT_MS + ", was " + timeoutMs,
                    "1.." + LONGEST_TIMEOUT_MS));
            return DEFAULT;
        }
        if (depth < 0 || depth > DEEPEST_QUEUE) {
            faults.add(Fault.at(
                    "/whenExhausted/depth", "must be 0 to " + DEEPEST_QUEUE + ", was " + depth, "0.." + DEEPEST_QUEUE));
            return DEFAULT;
        }
        return new WhenExhaustedJson(given.mode(), timeoutMs, depth);
    }

    private static WhenExhausted engine(@Nullable WhenExhaustedJson json) {
        if (json == null || json.timeoutMs() == null || json.depth() == null) {
            return WhenExhausted.unbounded();
        }
        return new WhenExhausted(
                WhenExhausted.Mode.valueOf(json.mode().toUpperCase(Locale.ROOT)),
                TimeUnit.MILLISECONDS.toNanos(json.timeoutMs()),
                json.depth());
    }

    private static Map<String, Object> withoutNulls(Map<String, @Nullable Object> values) {
        Map<String, Object> present = new LinkedHashMap<>();
        values.forEach((name, value) -> {
            if (value != null) {
                present.put(name, value);
            }
        });
        return present;
    }

    private static String said(Throwable e) {
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }
}
