package dev.headgate.testplugin;

import dev.headgate.spi.InvalidParametersException;
import dev.headgate.spi.InvalidParametersException.Fault;
import dev.headgate.spi.Limits;
import dev.headgate.spi.Parameters;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PolicyFactory;
import java.util.List;

/** Answers what its parameters say. Lives in a plugin jar that the tests make: never loaded from the class path. */
public final class FixedFactory implements PolicyFactory {

    @Override
    public String id() {
        return "fixed";
    }

    @Override
    public String description() {
        return "Answers what its parameters say.";
    }

    @Override
    public String parameterSchema() {
        return """
                {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
                 "additionalProperties": false,
                 "required": ["max"],
                 "properties": {
                   "min": {"type": "integer", "minimum": 0, "maximum": 100, "default": 1},
                   "max": {"type": "integer", "minimum": 1, "maximum": 100},
                   "guaranteed": {"type": "integer", "minimum": 0, "maximum": 100},
                   "perSecond": {"type": "number", "minimum": 0.1},
                   "mode": {"type": "string", "enum": ["calm", "eager"], "default": "calm"}}}
                """;
    }

    @Override
    public Policy create(Parameters parameters) {
        int min = parameters.integer("min");
        int max = parameters.integer("max");
        parameters.string("mode");
        if (min > max) {
            throw new InvalidParametersException(
                    List.of(new Fault("min", "must be at most " + max + " (max), was " + min)));
        }
        Limits answer = Limits.unbounded().withFloor(min).withCeiling(max).because("The maximum is " + max + ".");
        Limits owed = parameters.has("guaranteed") ? answer.withGuaranteed(parameters.integer("guaranteed")) : answer;
        Limits limits = parameters.has("perSecond")
                ? owed.withRate(parameters.decimal("perSecond")).withBurst(1)
                : owed;
        return view -> limits;
    }
}
