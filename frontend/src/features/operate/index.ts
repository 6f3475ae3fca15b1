import "./operate.css";

export { ClosedConnections } from "./ClosedConnections";
export { Connected } from "./Connected";
export { ConnectionReportView } from "./ConnectionReportView";
export { DomainTabs } from "./DomainTabs";
export { Leases } from "./Leases";
export { LogLines } from "./LogLines";
export { Refusals } from "./Refusals";
export { Waiters } from "./Waiters";
