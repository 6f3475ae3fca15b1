import "./decisions.css";

export { Log } from "./Log";
export type { LogFilter } from "./merge";
