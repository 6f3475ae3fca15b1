export { BudgetChart } from "./BudgetChart";
export { DatabaseForm } from "./DatabaseForm";
export { DatabaseTable, ReachableChip, RemoveDatabase } from "./DatabaseTable";
