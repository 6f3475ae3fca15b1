package dev.headgate.engine.governor;

/** Says how many connections this node may open on a database now. One node alone is given all of the budget. */
@FunctionalInterface
public interface BudgetSource {
    /** Called by the governor at every step; must not block. */
    int connections();
}
