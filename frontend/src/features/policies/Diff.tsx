import type { PolicySet } from "@/api/types";
import { changes } from "./draft";

/** The difference between two sets as removed and added lines. */
export function Diff({ from, to }: { from: PolicySet; to: PolicySet }) {
  const all = changes(from, to);
  if (all.length === 0) return <p className="faint">No difference.</p>;
  return (
    <div className="diff">
      {all.map(({ subject, kind, fields }) => (
        <div key={subject}>
          <div className={kind === "added" ? "p" : kind === "removed" ? "m" : ""}>
            {kind === "added" ? "+ " : kind === "removed" ? "- " : ""}
            {subject}
          </div>
          {fields.map(({ name, from: before, to: after }) => (
            <div key={name}>
              {before !== undefined && <div className="m">{`- ${name}: ${text(before)}`}</div>}
              {after !== undefined && <div className="p">{`+ ${name}: ${text(after)}`}</div>}
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}

const text = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
