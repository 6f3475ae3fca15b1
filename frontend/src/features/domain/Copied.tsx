import { useRef, useState } from "react";

/** A text with a button that copies it. Without a clipboard the button selects it instead. */
export function Copied({ label, text }: { label: string; text: string }) {
  const field = useRef<HTMLInputElement>(null);
  const [said, setSaid] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid("Copied.");
    } catch {
      field.current?.select(); // there is no clipboard outside a secure context
      setSaid("Selected: copy it with the keyboard.");
    }
  };
  return (
    <div className="copied">
      <span className="inp">
        <input ref={field} readOnly aria-label={label} value={text} onFocus={(e) => e.target.select()} />
      </span>
      <button type="button" className="btn" onClick={() => void copy()}>
        Copy the {label}
      </button>
      <span className="muted small" role="status">
        {said}
      </span>
    </div>
  );
}
