package dev.headgate.policy.minmax;

import dev.headgate.spi.InvalidParametersException;
import dev.headgate.spi.InvalidParametersException.Fault;
import dev.headgate.spi.Parameters;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PolicyFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Makes {@link MinMax} policies. */
public final class MinMaxFactory implements PolicyFactory {

    private static final String PARAMETERS = """
            {
              "$schema": "https://json-schema.org/draft/2020-12/schema",
              "title": "Minimum and maximum",
              "description": "Holds the pool between a minimum and a maximum number of connections.",
              "type": "object",
              "additionalProperties": false,
              "properties": {
                "initial": {
                  "title": "Initial connections",
                  "description": "Connections opened when the policy takes effect, kept open until all of them were open at once; from then on the minimum holds. Between the minimum and the maximum; 0 stands for the minimum.",
                  "type": "integer",
                  "minimum": 0,
                  "maximum": 10000,
                  "default": 0
                },
                "min": {
                  "title": "Minimum connections",
                  "description": "Connections kept open even when nobody uses them.",
                  "type": "integer",
                  "minimum": 0,
                  "maximum": 10000,
                  "default": 0
                },
                "max": {
                  "title": "Maximum connections",
                  "description": "Connections the pool may hold at most.",
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 10000,
                  "default": 10
                },
                "idleTimeoutMs": {
                  "title": "Idle timeout (ms)",
                  "description": "A connection above the minimum that nobody used for so many milliseconds is closed; 0 keeps it open for ever.",
                  "type": "integer",
                  "minimum": 0,
                  "maximum": 86400000,
                  "default": 60000
                }
              }
            }
            """;

    @Override
    public String id() {
        return "min-max";
    }

    @Override
    public String description() {
        return "Holds the pool between a minimum and a maximum number of connections, and closes idle ones in between.";
    }

    @Override
    public String parameterSchema() {
        return PARAMETERS;
    }

    @Override
    public Policy create(Parameters parameters) {
        int min = parameters.integer("min", 0);
        int max = parameters.integer("max", 10);
        int initial = parameters.integer("initial", 0);
        int idleTimeoutMs = parameters.integer("idleTimeoutMs", 60_000);

        List<Fault> faults = new ArrayList<>();
        if (max < 1) {
            faults.add(new Fault("max", "must be at least 1, was " + max));
        }
        if (min < 0 || min > max) {
            faults.add(new Fault("min", "must be between 0 and max (" + max + "), was " + min));
        }
        if (initial != 0 && (initial < min || initial > max)) {
            faults.add(new Fault(
                    "initial", "must be 0 or between min (" + min + ") and max (" + max + "), was " + initial));
        }
        if (idleTimeoutMs < 0) {
            faults.add(new Fault("idleTimeoutMs", "must not be negative, was " + idleTimeoutMs));
        }
        if (!faults.isEmpty()) {
            throw new InvalidParametersException(faults);
        }
        return new MinMax(
                Math.max(initial, min),
                min,
                max,
                idleTimeoutMs == 0 ? Long.MAX_VALUE : TimeUnit.MILLISECONDS.toNanos(idleTimeoutMs));
    }
}
