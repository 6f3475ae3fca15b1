import { useEffect, useRef, useState } from "react";
import type { PolicySet } from "@/api/types";
import { bare, parseSet, sameSet } from "./draft";

/** Text that is not a policy set, and why. */
export type Unread = { text: string; fault: string };

type Props = {
  set: PolicySet;
  /** Null if the text is the set. */
  unread: Unread | null;
  readOnly?: boolean;
  onChange: (set: PolicySet) => void;
  onUnread: (unread: Unread) => void;
};

/** Edits the set as JSON text. Text that does not parse is kept, and does not change the draft. */
export function JsonEditor({ set, unread, readOnly = false, onChange, onUnread }: Props) {
  const [text, setText] = useState(() => print(set));
  const sent = useRef(set);
  useEffect(() => {
    if (sameSet(set, sent.current)) return;
    sent.current = set;
    setText(print(set));
  }, [set]);
  return (
    <div className="pol">
      <textarea
        className={`inp ${unread ? "faulty" : ""}`}
        rows={20}
        spellCheck={false}
        readOnly={readOnly}
        aria-label="Policy set as JSON"
        aria-invalid={unread ? true : undefined}
        aria-describedby="json-fault"
        value={unread?.text ?? text}
        onChange={({ target: { value } }) => {
          try {
            const parsed = parseSet(value);
            setText(value);
            sent.current = parsed;
            onChange(parsed);
          } catch (error) {
            onUnread({ text: value, fault: (error as Error).message });
          }
        }}
      />
      <p id="json-fault" className="small" style={{ color: "var(--bad)", minHeight: 18 }} role="status">
        {unread?.fault}
      </p>
    </div>
  );
}

const print = (set: PolicySet) => JSON.stringify(bare(set), null, 2);
