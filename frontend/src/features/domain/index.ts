import "./domain.css";

export { AddClient } from "./AddClient";
export { Charts } from "./Charts";
export { Clients } from "./Clients";
export { Compare } from "./Compare";
export { Connections } from "./Connections";
export { Copied } from "./Copied";
export { psqlLine } from "./clientWords";
export { carried } from "./compare";
export { DomainHeader } from "./Header";
export { RangeBar } from "./RangeBar";
export { RemoveDomain } from "./RemoveDomain";
export { StatRow } from "./StatRow";
export { useBefore } from "./useBefore";
