package dev.headgate.policy.latencycap;

import dev.headgate.spi.InvalidParametersException;
import dev.headgate.spi.InvalidParametersException.Fault;
import dev.headgate.spi.Parameters;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PolicyFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Makes {@link LatencyCap} policies. */
public final class LatencyCapFactory implements PolicyFactory {

    private static final String PARAMETERS = """
            {
              "$schema": "https://json-schema.org/draft/2020-12/schema",
              "title": "Latency cap",
              "description": "Keeps the latency of requests under a cap by finding how many connections the database bears.",
              "type": "object",
              "additionalProperties": false,
              "required": ["maxLatencyMs"],
              "properties": {
                "maxLatencyMs": {
                  "title": "Latency cap (ms)",
                  "description": "The latency, in milliseconds, that requests may reach. Measured from a request's first byte to the database's last; waiting for a connection does not count.",
                  "type": "number",
                  "minimum": 0.01,
                  "maximum": 600000
                },
                "statistic": {
                  "title": "Statistic",
                  "description": "The figure of the latency distribution that the cap is on. The higher the percentile, the more requests it takes to know it.",
                  "type": "string",
                  "enum": ["mean", "p95", "p99"],
                  "default": "mean"
                },
                "startAt": {
                  "title": "Start at",
                  "description": "Connections granted before anything was measured. A pool that is larger already starts at its size.",
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 10000,
                  "default": 4
                },
                "atLeast": {
                  "title": "At least",
                  "description": "Connections granted however high the latency is. Where the pool's floor is higher, that holds.",
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 10000,
                  "default": 1
                },
                "patienceMs": {
                  "title": "Patience (ms)",
                  "description": "How long, in milliseconds, the measured latency must stay above the cap before connections are taken away.",
                  "type": "integer",
                  "minimum": 300,
                  "maximum": 60000,
                  "default": 1000
                }
              }
            }
            """;

    @Override
    public String id() {
        return "latency-cap";
    }

    @Override
    public String description() {
        return "Keeps the latency of requests under a cap by finding how many connections the database bears.";
    }

    @Override
    public String parameterSchema() {
        return PARAMETERS;
    }

    @Override
    public Policy create(Parameters parameters) {
        double maxLatencyMs = parameters.decimal("maxLatencyMs");
        String statistic = parameters.string("statistic", "mean");
        int startAt = parameters.integer("startAt", 4);
        int atLeast = parameters.integer("atLeast", 1);
        int patienceMs = parameters.integer("patienceMs", 1000);

        List<Fault> faults = new ArrayList<>();
        if (!(maxLatencyMs > 0 && maxLatencyMs < Double.POSITIVE_INFINITY)) {
            faults.add(new Fault("maxLatencyMs", "must be positive and finite, was " + maxLatencyMs));
        }
        if (!Set.of("mean", "p95", "p99").contains(statistic)) {
            faults.add(new Fault("statistic", "must be mean, p95 or p99, was " + statistic));
        }
        if (atLeast < 1) {
            faults.add(new Fault("atLeast", "must be at least 1, was " + atLeast));
        }
        if (startAt < 1) {
            faults.add(new Fault("startAt", "must be at least 1, was " + startAt));
        }
        if (patienceMs < 300) {
            faults.add(new Fault("patienceMs", "must be at least 300, was " + patienceMs));
        }
        if (!faults.isEmpty()) {
            throw new InvalidParametersException(faults);
        }
        return new LatencyCap(
                maxLatencyMs * 1e6,
                Statistic.of(statistic),
                Math.max(startAt, atLeast),
                atLeast,
                TimeUnit.MILLISECONDS.toNanos(patienceMs));
    }
}
