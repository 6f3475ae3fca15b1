package dev.headgate.policy.tiers;

import dev.headgate.spi.InvalidParametersException;
import dev.headgate.spi.InvalidParametersException.Fault;
import dev.headgate.spi.Limits;
import dev.headgate.spi.Parameters;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PolicyFactory;
import dev.headgate.spi.Tier;
import java.util.ArrayList;
import java.util.List;

/** Makes {@link Tiers} policies. */
public final class TiersFactory implements PolicyFactory {

    private static final String PARAMETERS = """
            {
              "$schema": "https://json-schema.org/draft/2020-12/schema",
              "title": "Tier",
              "description": "A domain's standing on a database that it shares with others.",
              "type": "object",
              "additionalProperties": false,
              "required": ["tier"],
              "properties": {
                "tier": {
                  "title": "Tier",
                  "description": "The domain's standing, as its siblings see it. Where no weight is given, gold has a weight of 4, silver of 2, bronze of 1.",
                  "type": "string",
                  "enum": ["gold", "silver", "bronze"],
                  "default": "silver"
                },
                "guaranteed": {
                  "title": "Guaranteed connections",
                  "description": "Connections owed to the domain whenever it needs them. While it does not, they are lent to its siblings.",
                  "type": "integer",
                  "minimum": 0,
                  "maximum": 10000,
                  "default": 0
                },
                "weight": {
                  "title": "Weight",
                  "description": "The domain's share in what is left after all guarantees, relative to its siblings' weights. Follows from the tier where it is not given.",
                  "type": "number",
                  "minimum": 0.01,
                  "maximum": 1000
                },
                "borrowLimit": {
                  "title": "Borrow limit",
                  "description": "Connections the domain may hold beyond its guarantee. Unlimited where it is not given.",
                  "type": "integer",
                  "minimum": 0,
                  "maximum": 10000
                }
              }
            }
            """;

    @Override
    public String id() {
        return "tiers";
    }

    @Override
    public String description() {
        return "Says what the domain is owed of a shared database: connections guaranteed on demand, and its weight in the rest.";
    }

    @Override
    public String parameterSchema() {
        return PARAMETERS;
    }

    @Override
    public Policy create(Parameters parameters) {
        List<Fault> faults = new ArrayList<>();
        Tier tier = tier(parameters.string("tier", "silver"), faults);
        int guaranteed = parameters.integer("guaranteed", 0);
        int borrowLimit = parameters.integer("borrowLimit", Limits.UNSPECIFIED);
        double weight = parameters.decimal("weight", weightOf(tier));
        if (guaranteed < 0) {
            faults.add(new Fault("guaranteed", "must not be negative, was " + guaranteed));
        }
        if (borrowLimit < 0) {
            faults.add(new Fault("borrowLimit", "must not be negative, was " + borrowLimit));
        }
        if (guaranteed == 0 && borrowLimit == 0) {
            faults.add(new Fault(
                    "borrowLimit", "must be at least 1 where guaranteed is 0, was 0: the domain could never connect"));
        }
        if (!(weight > 0 && weight < Double.POSITIVE_INFINITY)) {
            faults.add(new Fault("weight", "must be positive and finite, was " + weight));
        }
        if (!faults.isEmpty()) {
            throw new InvalidParametersException(faults);
        }
        return new Tiers(tier, guaranteed, weight, borrowLimit);
    }

    private static Tier tier(String name, List<Fault> faults) {
        return switch (name) {
            case "gold" -> Tier.GOLD;
            case "silver" -> Tier.SILVER;
            case "bronze" -> Tier.BRONZE;
            default -> {
                faults.add(new Fault("tier", "must be gold, silver or bronze, was " + name));
                yield Tier.NONE;
            }
        };
    }

    private static double weightOf(Tier tier) {
        return switch (tier) {
            case GOLD -> 4;
            case SILVER -> 2;
            case BRONZE, NONE -> 1;
        };
    }
}
