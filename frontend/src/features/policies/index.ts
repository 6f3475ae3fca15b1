import "./policies.css";

export { PolicyEditor, useDraftSize } from "./PolicyEditor";
