export { MemoryTable } from "./MemoryTable";
