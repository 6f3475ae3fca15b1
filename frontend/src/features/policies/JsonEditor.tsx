import { useEffect, useRef, useState } from "react";
import type { PolicySet } from "@/api/types";
import { bare, parseSet, sameSet } from "./draft";

type Props = { set: PolicySet; readOnly?: boolean; onChange: (set: PolicySet) => void };

/** Edits the set as JSON text. Text that does not parse stays in the editor and does not change the draft. */
export function JsonEditor({ set, readOnly = false, onChange }: Props) {
  const [text, setText] = useState(() => print(set));
  const [fault, setFault] = useState<string | null>(null);
  const sent = useRef(set);
  useEffect(() => {
    if (sameSet(set, sent.current)) return;
    sent.current = set;
    setText(print(set));
    setFault(null);
  }, [set]);
  return (
    <div className="pol">
      <textarea
        className={`inp ${fault ? "faulty" : ""}`}
        rows={20}
        spellCheck={false}
        readOnly={readOnly}
        aria-label="Policy set as JSON"
        aria-invalid={fault ? true : undefined}
        aria-describedby="json-fault"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          try {
            const parsed = parseSet(event.target.value);
            setFault(null);
            sent.current = parsed;
            onChange(parsed);
          } catch (error) {
            setFault((error as Error).message);
          }
        }}
      />
      <p id="json-fault" className="small" style={{ color: "var(--bad)", minHeight: 18 }} role="status">
        {fault}
      </p>
    </div>
  );
}

const print = (set: PolicySet) => JSON.stringify(bare(set), null, 2);
