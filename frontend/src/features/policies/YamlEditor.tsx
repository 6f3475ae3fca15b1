import { useEffect, useRef, useState } from "react";
import type { PolicySet } from "@/api/types";
import { sameSet } from "./draft";
import { readSet, writeSet } from "./setText";

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

/** Edits the set as YAML text. Text that does not parse is kept, and does not change the draft. */
export function YamlEditor({ set, unread, readOnly = false, onChange, onUnread }: Props) {
  const [text, setText] = useState(() => writeSet(set));
  const sent = useRef(set);
  useEffect(() => {
    if (sameSet(set, sent.current)) return;
    sent.current = set;
    setText(writeSet(set));
  }, [set]);
  return (
    <div className="pol">
      <textarea
        className={`inp ${unread ? "faulty" : ""}`}
        rows={20}
        spellCheck={false}
        readOnly={readOnly}
        aria-label="Policy set as YAML"
        aria-invalid={unread ? true : undefined}
        aria-describedby="yaml-fault"
        value={unread?.text ?? text}
        onChange={({ target: { value } }) => {
          try {
            const parsed = readSet(value);
            setText(value);
            sent.current = parsed;
            onChange(parsed);
          } catch (error) {
            onUnread({ text: value, fault: (error as Error).message });
          }
        }}
      />
      <p id="yaml-fault" className="small" style={{ color: "var(--bad)", minHeight: 18 }} role="status">
        {unread?.fault}
      </p>
    </div>
  );
}
