export { BudgetChart } from "./BudgetChart";
export { DatabaseForm } from "./DatabaseForm";
export { DatabaseTable, RemoveDatabase } from "./DatabaseTable";
export { StateNote } from "./StateNote";
