package dev.headgate.lab.reasons;

import dev.headgate.engine.governor.PolicySet;
import dev.headgate.spi.Parameters;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PolicyFactory;
import dev.headgate.spi.WhenExhausted;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.function.Function;

/** Every policy that ships, in random sets with random parameters. */
final class Policies {

    private static final Map<String, Function<Random, Map<String, Object>>> PARAMETERS = Map.of(
            "min-max",
            random -> {
                int max = 1 + random.nextInt(24);
                int min = random.nextInt(1 + Math.min(max, 4));
                int initial = random.nextBoolean() ? 0 : Math.max(1, min + random.nextInt(1 + max - min));
                return Map.of(
                        "max",
                        max,
                        "min",
                        min,
                        "initial",
                        initial,
                        "idleTimeoutMs",
                        pick(random, 1, 500, 2_000, 2_500, 60_000));
            },
            "latency-cap",
            random -> Map.of(
                    "maxLatencyMs",
                    pick(random, 0.8, 5.0, 12.5, 20.0, 40.0, 150.0),
                    "statistic",
                    pick(random, "mean", "mean", "p95", "p99"),
                    "startAt",
                    1 + random.nextInt(8),
                    "atLeast",
                    1 + random.nextInt(3),
                    "patienceMs",
                    pick(random, 300, 1_000, 3_000)),
            "tiers",
            random -> {
                Map<String, Object> parameters = new HashMap<>();
                parameters.put("tier", pick(random, "gold", "silver", "bronze"));
                parameters.put("guaranteed", random.nextInt(9));
                if (random.nextBoolean()) {
                    parameters.put("borrowLimit", 1 + random.nextInt(6));
                }
                return parameters;
            },
            "rate-limit",
            random -> Map.of("perSecond", pick(random, 0.5, 20.0, 99.5, 300.0), "burst", pick(random, 1, 5, 20)),
            "schedule",
            random -> Map.of(
                    "windows",
                    List.of(Map.of(
                            "from", "12:00", "to", "12:01", "min", random.nextInt(3), "max", 3 + random.nextInt(20))),
                    "otherwise",
                    Map.of("min", random.nextInt(2), "max", 2 + random.nextInt(8))),
            "gradient",
            random -> Map.of(
                    "min",
                    1 + random.nextInt(2),
                    "max",
                    4 + random.nextInt(30),
                    "startAt",
                    2 + random.nextInt(3),
                    "tolerance",
                    pick(random, 1.0, 1.2, 1.5, 3.0),
                    "smoothing",
                    pick(random, 0.1, 0.3, 1.0)),
            "delegate",
            random -> Map.of(
                    "waiting",
                    pick(random, 1, 5, 20),
                    "waitMs",
                    pick(random, 0, 50, 200),
                    "calmMs",
                    pick(random, 100, 500, 2_000)),
            "budget-share",
            random -> Map.of("percent", 1 + random.nextInt(100)));

    private final Random random;
    private final Map<String, PolicyFactory> factories = new TreeMap<>();
    private long revision;

    Policies(Random random) {
        this.random = random;
        ServiceLoader.load(PolicyFactory.class).forEach(factory -> factories.put(factory.id(), factory));
        if (!factories.keySet().equals(PARAMETERS.keySet())) {
            throw new IllegalStateException(
                    "these ship: " + factories.keySet() + ", and these are tried: " + PARAMETERS.keySet());
        }
    }

    /** None to four different ones. */
    PolicySet forDomain() {
        return set(random.nextInt(5));
    }

    /** None or one or two: what they answer is the sum's. */
    PolicySet forDatabase() {
        return set(random.nextInt(3));
    }

    private PolicySet set(int count) {
        List<String> ids = new ArrayList<>(factories.keySet());
        Collections.shuffle(ids, random);
        List<PolicySet.Member> members =
                ids.subList(0, count).stream().map(this::member).toList();
        return new PolicySet(++revision, members, whenExhausted(), () -> {});
    }

    private PolicySet.Member member(String id) {
        Policy policy =
                factories.get(id).create(Parameters.of(PARAMETERS.get(id).apply(random)));
        return new PolicySet.Member(id, policy);
    }

    private WhenExhausted whenExhausted() {
        long timeoutMs = pick(random, 50, 500, 1_000, 5_000);
        int depth = pick(random, 5, 50, 200);
        return switch (random.nextInt(6)) {
            case 0 -> new WhenExhausted(WhenExhausted.Mode.FAIL, timeoutMs * 1_000_000, depth);
            case 1 -> new WhenExhausted(WhenExhausted.Mode.REJECT, timeoutMs * 1_000_000, depth);
            default -> WhenExhausted.queue(timeoutMs, depth);
        };
    }

    @SafeVarargs
    static <T> T pick(Random random, T... choices) {
        return choices[random.nextInt(choices.length)];
    }
}
