/** A share of the budget as a ceiling: as small as a policy can be, and the example of the authoring guide. */
package dev.headgate.policy.budgetshare;
