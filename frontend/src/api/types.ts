/**
 * Gives the generated OpenAPI types the names that the dashboard uses. No type is written by hand: `Solid` only states
 * that the service's answers are complete (a generator may mark every field optional).
 */
import type { components } from "./schema";

type Schemas = components["schemas"];

export type Solid<T> = T extends (infer U)[] ? Solid<U>[] : T extends object ? { [K in keyof T]-?: Solid<T[K]> } : T;

export type Pool = Solid<Schemas["Pool"]>;
export type Domain = Solid<Schemas["Domain"]>;
export type Database = Solid<Schemas["Database"]>;
export type Connection = Solid<Schemas["Connection"]>;
export type Health = Solid<Schemas["Health"]>;
export type Limit = Solid<Schemas["Limit"]>;
export type Alarm = Solid<Schemas["Alarm"]>;
export type LoggedAlarm = Solid<Schemas["LoggedAlarm"]>;
export type AlarmPage = Solid<Schemas["AlarmPage"]>;
export type Annotation = Solid<Schemas["Annotation"]>;
export type AnnotationCreate = Schemas["AnnotationCreate"];
export type Answer = Solid<Schemas["Answer"]>;
export type ConnectionHistory = Solid<Schemas["ConnectionHistory"]>;
export type History = Solid<Schemas["History"]>;
export type Second = Solid<Schemas["Second"]>;
export type Decision = Solid<Schemas["Decision"]>;
export type AuditEntry = Solid<Schemas["AuditEntry"]>;
export type Workload = Solid<Schemas["Workload"]>;
export type WorkloadPatch = Schemas["WorkloadPatch"];
export type PolicyPlugin = Solid<Schemas["PolicyPlugin"]>;
export type Adoption = Solid<Schemas["Adoption"]>;
export type PolicySet = Schemas["PolicySet"];
export type PolicySetRevision = Solid<Omit<Schemas["PolicySetRevision"], "policySet">> & { policySet: PolicySet };
export type Plan = Solid<Schemas["Plan"]>;
export type ReplayResult = Solid<Schemas["ReplayResult"]>;
export type ReplayOutcome = Solid<Schemas["ReplayOutcome"]>;
export type ReplayFigures = Solid<Schemas["ReplayFigures"]>;
export type ReplayRun = Solid<Schemas["ReplayRun"]>;
export type Memory = Solid<Schemas["Memory"]>;
export type LongWork = Solid<Schemas["LongWork"]>;
export type ShadowSet = Solid<Omit<Schemas["ShadowSet"], "policySet">> & { policySet: PolicySet };
export type LimitRow = Solid<Schemas["LimitRow"]>;
export type Explanation = Solid<Schemas["Explanation"]>;
export type Session = Solid<Schemas["Session"]>;
export type Violation = Schemas["Violation"];
export type ProblemBody = Schemas["Problem"];
export type ClientsList = Solid<Schemas["ClientsList"]>;
export type WireClient = Solid<Schemas["WireClient"]>;
export type WireEndpoint = Solid<Schemas["WireEndpoint"]>;
export type NewClient = Solid<Schemas["NewWireClient"]>;
export type SqlRequest = Schemas["Sql"];
export type SqlError = Schemas["SqlError"];
export type DatabaseCreate = Schemas["DatabaseCreate"];
export type DatabasePatch = Schemas["DatabasePatch"];
export type DomainCreate = Schemas["DomainCreate"];
export type DomainPatch = Schemas["DomainPatch"];
export type LeaseCaller = Solid<Schemas["LeaseCaller"]>;
export type Lease = Solid<Schemas["Lease"]>;
export type Waiter = Solid<Schemas["Waiter"]>;
export type Refusal = Solid<Schemas["Refusal"]>;
export type ClosedConnection = Solid<Schemas["ClosedConnection"]>;
export type ConnectionReport = Solid<Schemas["ConnectionReport"]>;
export type ConnectedClient = Solid<Schemas["ConnectedClient"]>;
export type ConnectedApplication = Solid<Schemas["ConnectedApplication"]>;
export type LogLine = Solid<Schemas["LogLine"]>;
export type Experiment = Solid<Schemas["Experiment"]>;
export type ExperimentParameter = Solid<Schemas["ExperimentParameter"]>;
export type ExperimentRun = Solid<Schemas["ExperimentRun"]>;
export type ExperimentRunCreate = Schemas["ExperimentRunCreate"];
export type ExperimentReport = Solid<Schemas["ExperimentReport"]>;
export type ExperimentFinding = Solid<Schemas["ExperimentFinding"]>;
export type ExperimentChart = Solid<Schemas["ExperimentChart"]>;
export type ExperimentMeasure = Solid<Schemas["ExperimentMeasure"]>;
export type ExperimentTable = Solid<Schemas["ExperimentTable"]>;
export type ExperimentComparison = Solid<Schemas["ExperimentComparison"]>;
export type ExperimentComparisonRow = Solid<Schemas["ExperimentComparisonRow"]>;
export type SizeSearch = Solid<Schemas["SizeSearch"]>;
export type SizeTrial = Solid<Schemas["SizeTrial"]>;
export type SizeSearchCreate = Schemas["SizeSearchCreate"];
