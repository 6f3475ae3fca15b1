import "./overview.css";

export { BudgetBars } from "./BudgetBars";
export { DomainTable } from "./DomainTable";
export { FilterBar, found } from "./FilterBar";
export { groupingOf } from "./groups";
export { OverviewHeadline } from "./Headline";
export { Multiples } from "./Multiples";
export { Wall } from "./Wall";
