package dev.headgate.server.demo;

import dev.headgate.server.api.WhenExhaustedJson;
import dev.headgate.server.policies.PolicySetRequest;
import dev.headgate.server.policies.PolicySetRequest.PolicyUseRequest;
import java.util.List;
import java.util.Map;

/** The policy sets with which the demo's domains begin: one of each tier, and a latency cap to watch. */
final class DemoPolicies {

    private DemoPolicies() {}

    static PolicySetRequest of(String domain) {
        return switch (domain) {
            case "auction" ->
                set(
                        use("tiers", Map.of("tier", "gold", "guaranteed", 10, "weight", 4)),
                        use("min-max", Map.of("min", 2, "max", 20)));
            case "bank" ->
                set(
                        use("tiers", Map.of("tier", "silver", "guaranteed", 6, "weight", 2)),
                        use("min-max", Map.of("min", 2, "max", 20)),
                        use("latency-cap", Map.of("maxLatencyMs", 25, "statistic", "mean")));
            case "gallery" ->
                set(
                        use("tiers", Map.of("tier", "bronze", "guaranteed", 2, "weight", 1, "borrowLimit", 6)),
                        use("min-max", Map.of("min", 1, "max", 10)));
            default -> throw new IllegalArgumentException("the demo has no domain " + domain);
        };
    }

    private static PolicySetRequest set(PolicyUseRequest... policies) {
        return new PolicySetRequest(
                List.of(policies), new WhenExhaustedJson("queue", 5_000L, 1_000), "The demo's beginning");
    }

    private static PolicyUseRequest use(String plugin, Map<String, Object> parameters) {
        return new PolicyUseRequest(plugin, parameters);
    }
}
