package dev.headgate.policy.schedule;

import dev.headgate.spi.InvalidParametersException;
import dev.headgate.spi.Parameters;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PolicyFactory;
import java.time.ZoneId;
import java.util.List;

/** Makes {@link Schedule} policies. */
public final class ScheduleFactory implements PolicyFactory {

    private static final String PARAMETERS = """
            {
              "$schema": "https://json-schema.org/draft/2020-12/schema",
              "title": "Schedule",
              "description": "Holds the pool between other bounds by the time of day and the day of the week.",
              "type": "object",
              "additionalProperties": false,
              "properties": {
                "zone": {
                  "title": "Time zone",
                  "description": "The time zone of all times below, such as UTC or Europe/Berlin; its summer time is followed.",
                  "type": "string",
                  "minLength": 1,
                  "default": "UTC"
                },
                "windows": {
                  "title": "Windows",
                  "description": "Stretches of the week with bounds of their own; the first one that holds counts.",
                  "type": "array",
                  "maxItems": 50,
                  "default": [],
                  "items": {
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["from", "to", "max"],
                    "properties": {
                      "days": {
                        "title": "Days",
                        "description": "The days on which the window begins; every day where not given.",
                        "type": "array",
                        "minItems": 1,
                        "uniqueItems": true,
                        "items": {"type": "string", "enum": ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]}
                      },
                      "from": {
                        "title": "From",
                        "description": "When it begins, as HH:MM.",
                        "type": "string",
                        "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"
                      },
                      "to": {
                        "title": "To",
                        "description": "When it ends, as HH:MM. Not after the start: on the next day. Equal to it: after a whole day.",
                        "type": "string",
                        "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"
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
                        "maximum": 10000
                      }
                    }
                  }
                },
                "otherwise": {
                  "title": "Otherwise",
                  "description": "The bounds that hold outside of all windows.",
                  "type": "object",
                  "additionalProperties": false,
                  "default": {"min": 0, "max": 10},
                  "properties": {
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
                    }
                  }
                }
              }
            }
            """;

    @Override
    public String id() {
        return "schedule";
    }

    @Override
    public String description() {
        return "Holds the pool between other bounds by the time of day and the day of the week, in a time zone.";
    }

    @Override
    public String parameterSchema() {
        return PARAMETERS;
    }

    @Override
    public Policy create(Parameters parameters) {
        Reader reader = new Reader();
        ZoneId zone = reader.zone(parameters);
        List<Span> spans = reader.windows(parameters);
        Bounds otherwise = reader.otherwise(parameters);
        if (!reader.faults().isEmpty()) {
            throw new InvalidParametersException(reader.faults());
        }
        return new Schedule(zone, spans, otherwise);
    }
}
