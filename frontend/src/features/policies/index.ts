import "./policies.css";

export { useDraftSize } from "./draftStore";
export { PolicyEditor } from "./EditorWhenLoaded";
