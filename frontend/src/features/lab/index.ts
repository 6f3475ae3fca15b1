import "./lab.css";

export { CompareRuns } from "./CompareRuns";
export { Lab } from "./Lab";
export { Run } from "./Run";
