package dev.headgate.policy.budgetshare;

import dev.headgate.spi.Limits;
import dev.headgate.spi.Parameters;
import dev.headgate.spi.Policy;
import dev.headgate.spi.PolicyFactory;

/** Gives a pool at most a share of its database's budget. The example of docs/policy-authoring.md. */
public final class BudgetShareFactory implements PolicyFactory {

    @Override
    public String id() {
        return "budget-share";
    }

    @Override
    public String description() {
        return "Gives the pool at most a share of its database's budget, whatever the budget is.";
    }

    @Override
    public String parameterSchema() {
        return """
                {"type": "object", "additionalProperties": false, "required": ["percent"], "properties": {
                  "percent": {"title": "Share (%)", "type": "integer", "minimum": 1, "maximum": 100, "default": 50,
                              "description": "The most that the pool may have of the database's budget, in percent."}}}""";
    }

    @Override
    public Policy create(Parameters parameters) {
        int percent = parameters.integer("percent");
        return pool -> {
            int budget = pool.database().budget();
            int ceiling = Math.max(1, (int) ((long) budget * percent / 100));
            return Limits.unbounded()
                    .withCeiling(ceiling)
                    .because("At most %d %s: %d %% of the database's budget of %d."
                            .formatted(ceiling, ceiling == 1 ? "connection" : "connections", percent, budget));
        };
    }
}
