export { LongRequests } from "./LongRequests";
export { MemoryTable } from "./MemoryTable";
