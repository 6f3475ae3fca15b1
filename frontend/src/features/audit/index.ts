export { AuditLog } from "./AuditLog";
