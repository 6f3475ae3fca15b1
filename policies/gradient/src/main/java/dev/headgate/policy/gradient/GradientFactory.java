package dev.headgate.policy.gradient;

import dev.headgate.spi.InvalidParametersException;
import dev.headgate.spi.InvalidParametersException.Fault;
import dev.headgate.spi.Parameters;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PolicyFactory;
import java.util.ArrayList;
import java.util.List;

/** Makes {@link Gradient} policies. */
public final class GradientFactory implements PolicyFactory {

    private static final String PARAMETERS = """
            {
              "$schema": "https://json-schema.org/draft/2020-12/schema",
              "title": "Gradient",
              "description": "Follows the gradient of latency: grows while requests take as long as usual, shrinks as they take longer.",
              "type": "object",
              "additionalProperties": false,
              "properties": {
                "min": {
                  "title": "Least connections",
                  "description": "Connections granted however long requests take.",
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 10000,
                  "default": 1
                },
                "max": {
                  "title": "Most connections",
                  "description": "Connections granted at most.",
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 10000,
                  "default": 50
                },
                "startAt": {
                  "title": "Start at",
                  "description": "Connections granted before anything was measured.",
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 10000,
                  "default": 4
                },
                "tolerance": {
                  "title": "Tolerance",
                  "description": "How many times as long as usual requests may take before connections are taken away.",
                  "type": "number",
                  "minimum": 1,
                  "maximum": 10,
                  "default": 1.5
                },
                "smoothing": {
                  "title": "Smoothing",
                  "description": "The share of each wanted change that is made at once, above 0 and up to 1.",
                  "type": "number",
                  "minimum": 0.01,
                  "maximum": 1,
                  "default": 0.3
                },
                "driftPercentPerMinute": {
                  "title": "Drift (% per minute)",
                  "description": "By how much, in percent per minute, a full pool may come to find longer requests usual.",
                  "type": "number",
                  "minimum": 0,
                  "maximum": 100,
                  "default": 2
                }
              }
            }
            """;

    @Override
    public String id() {
        return "gradient";
    }

    @Override
    public String description() {
        return "Follows the gradient of latency: grows while requests take as long as usual, shrinks as they take longer.";
    }

    @Override
    public String parameterSchema() {
        return PARAMETERS;
    }

    @Override
    public Policy create(Parameters parameters) {
        int min = parameters.integer("min", 1);
        int max = parameters.integer("max", 50);
        int startAt = parameters.integer("startAt", 4);
        double tolerance = parameters.decimal("tolerance", 1.5);
        double smoothing = parameters.decimal("smoothing", 0.3);
        double drift = parameters.decimal("driftPercentPerMinute", 2);
        List<Fault> faults = new ArrayList<>();
        if (max < 1) {
            faults.add(new Fault("max", "must be at least 1, was " + max));
        }
        if (min < 1 || min > max) {
            faults.add(new Fault("min", "must be between 1 and max (" + max + "), was " + min));
        }
        if (startAt < 1) {
            faults.add(new Fault("startAt", "must be at least 1, was " + startAt));
        }
        if (!(tolerance >= 1 && tolerance <= 10)) {
            faults.add(new Fault("tolerance", "must be between 1 and 10, was " + tolerance));
        }
        if (!(smoothing >= 0.01 && smoothing <= 1)) {
            faults.add(new Fault("smoothing", "must be between 0.01 and 1, was " + smoothing));
        }
        if (!(drift >= 0 && drift <= 100)) {
            faults.add(new Fault("driftPercentPerMinute", "must be between 0 and 100, was " + drift));
        }
        if (!faults.isEmpty()) {
            throw new InvalidParametersException(faults);
        }
        return new Gradient(min, max, startAt, tolerance, smoothing, drift / 100);
    }
}
