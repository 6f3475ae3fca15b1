import "./policies.css";

export { forgetDraft, useDraftSize } from "./draftStore";
export { PolicyEditor } from "./EditorWhenLoaded";
