package dev.headgate.policy.ratelimit;

import dev.headgate.spi.InvalidParametersException;
import dev.headgate.spi.InvalidParametersException.Fault;
import dev.headgate.spi.Parameters;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PolicyFactory;
import java.util.ArrayList;
import java.util.List;

/** Makes {@link RateLimit} policies. */
public final class RateLimitFactory implements PolicyFactory {

    private static final int MOST = 1_000_000;

    private static final String PARAMETERS = """
            {
              "$schema": "https://json-schema.org/draft/2020-12/schema",
              "title": "Rate limit",
              "description": "Lets so many leases through per second, and a burst of them at once.",
              "type": "object",
              "additionalProperties": false,
              "required": ["perSecond"],
              "properties": {
                "perSecond": {
                  "title": "Leases per second",
                  "description": "Leases given per second, in the long run. A lease is one checkout of a connection, however many requests it carries.",
                  "type": "number",
                  "minimum": 0.1,
                  "maximum": 1000000
                },
                "burst": {
                  "title": "Burst",
                  "description": "Leases given at once after a quiet time; what comes faster waits. At 1 they are spaced evenly.",
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000,
                  "default": 10
                }
              }
            }
            """;

    @Override
    public String id() {
        return "rate-limit";
    }

    @Override
    public String description() {
        return "Lets so many leases through per second, and a burst of them at once; what comes faster waits.";
    }

    @Override
    public String parameterSchema() {
        return PARAMETERS;
    }

    @Override
    public Policy create(Parameters parameters) {
        double perSecond = parameters.decimal("perSecond");
        int burst = parameters.integer("burst", 10);
        List<Fault> faults = new ArrayList<>();
        if (!(perSecond >= 0.1 && perSecond <= MOST)) {
            faults.add(new Fault("perSecond", "must be between 0.1 and " + MOST + ", was " + perSecond));
        }
        if (burst < 1 || burst > MOST) {
            faults.add(new Fault("burst", "must be between 1 and " + MOST + ", was " + burst));
        }
        if (!faults.isEmpty()) {
            throw new InvalidParametersException(faults);
        }
        return new RateLimit(perSecond, burst);
    }
}
