import "./domain.css";

export { Charts } from "./Charts";
export { Clients } from "./Clients";
export { Connections } from "./Connections";
export { carried } from "./compare";
export { DomainForm, RemoveDomain } from "./DomainForm";
export { DomainHeader } from "./Header";
export { RangeBar } from "./RangeBar";
export { type Range, rangeOf, searchOf } from "./range";
export { StatRow } from "./StatRow";
