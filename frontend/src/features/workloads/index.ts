import "./workloads.css";

export { DomainWorkload, WorkloadList } from "./WorkloadCard";
