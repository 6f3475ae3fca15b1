import "./overview.css";

export { BudgetBars } from "./BudgetBars";
export { DomainTable } from "./DomainTable";
export { OverviewHeadline } from "./Headline";
export { Multiples } from "./Multiples";
