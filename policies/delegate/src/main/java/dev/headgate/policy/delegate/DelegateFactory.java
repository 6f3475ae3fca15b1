package dev.headgate.policy.delegate;

import dev.headgate.spi.InvalidParametersException;
import dev.headgate.spi.InvalidParametersException.Fault;
import dev.headgate.spi.Parameters;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PolicyFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Makes {@link Delegate} policies. */
public final class DelegateFactory implements PolicyFactory {

    private static final String PARAMETERS = """
            {
              "$schema": "https://json-schema.org/draft/2020-12/schema",
              "title": "Delegate to the door",
              "description": "Turns requests away at the HTTP or wire door while the pool is exhausted, and lets them wait otherwise.",
              "type": "object",
              "additionalProperties": false,
              "properties": {
                "waiting": {
                  "title": "Waiting requests",
                  "description": "Requests that may wait at once. As soon as so many wait, and the oldest for too long, further ones are turned away.",
                  "type": "integer",
                  "minimum": 1,
                  "maximum": 1000000,
                  "default": 10
                },
                "waitMs": {
                  "title": "Longest wait (ms)",
                  "description": "How long, in milliseconds, the oldest of them may wait.",
                  "type": "integer",
                  "minimum": 0,
                  "maximum": 600000,
                  "default": 200
                },
                "calmMs": {
                  "title": "Calm (ms)",
                  "description": "Over how long, in milliseconds, the load that is offered is judged before requests may wait again.",
                  "type": "integer",
                  "minimum": 100,
                  "maximum": 600000,
                  "default": 1000
                }
              }
            }
            """;

    @Override
    public String id() {
        return "delegate";
    }

    @Override
    public String description() {
        return "Turns requests away at the door while the pool is exhausted, and lets them wait otherwise.";
    }

    @Override
    public String parameterSchema() {
        return PARAMETERS;
    }

    @Override
    public Policy create(Parameters parameters) {
        int waiting = parameters.integer("waiting", 10);
        int waitMs = parameters.integer("waitMs", 200);
        int calmMs = parameters.integer("calmMs", 1_000);
        List<Fault> faults = new ArrayList<>();
        if (waiting < 1) {
            faults.add(new Fault("waiting", "must be at least 1, was " + waiting));
        }
        if (waitMs < 0) {
            faults.add(new Fault("waitMs", "must not be negative, was " + waitMs));
        }
        if (calmMs < 100) {
            faults.add(new Fault("calmMs", "must be at least 100, the length of a window, was " + calmMs));
        }
        if (!faults.isEmpty()) {
            throw new InvalidParametersException(faults);
        }
        return new Delegate(waiting, TimeUnit.MILLISECONDS.toNanos(waitMs), TimeUnit.MILLISECONDS.toNanos(calmMs));
    }
}
