import "./decisions.css";

export { Feed } from "./Feed";
export { Log } from "./Log";
export type { LogFilter } from "./merge";
