import type { PolicySet, PolicySetRevision } from "@/api/types";
import { whenText } from "@/format/format";
import { serverNow } from "@/stream/browser";
import { useZone } from "@/ui/preferences";
import { Diff } from "./Diff";
import { type Draft, rebase } from "./draft";

type Props = {
  /** Of the domain or database. */
  name: string;
  draft: Draft;
  current: PolicySetRevision;
  onRebase: (set: PolicySet) => void;
  onDiscard: () => void;
};

/**
 * Shown when somebody else changed the set first. Shows both changes and lets the operator rebase or discard the draft.
 */
export function ConflictView({ name, draft, current, onRebase, onDiscard }: Props) {
  const zone = useZone();
  const anew = current.revision <= draft.baseRevision;
  const { set, conflicts } = rebase(draft.base, draft.set, current.policySet);
  return (
    <div className="pol" role="alert" data-testid="conflict">
      <p className="note warn">
        <b>
          {anew && `${name} was removed and created again. `}
          rev {current.revision}
          {current.actor ? ` by ${current.actor}` : ""} took effect
          {current.createdAt ? ` at ${whenText(current.createdAt, zone, serverNow())}` : ""} while you were editing.
        </b>{" "}
        Your draft is based on rev {draft.baseRevision}. Nothing was overwritten, and your draft is kept.
      </p>
      <div className="conflict">
        <div>
          <h3>
            Theirs, {anew ? "beside" : "since"} rev {draft.baseRevision}
          </h3>
          <Diff from={draft.base} to={current.policySet} />
          {current.comment && <p className="muted small">“{current.comment}”</p>}
        </div>
        <div>
          <h3>Yours, since rev {draft.baseRevision}</h3>
          <Diff from={draft.base} to={draft.set} />
        </div>
      </div>
      {conflicts.length > 0 && (
        <p className="small" style={{ marginTop: 8 }}>
          Both changed{" "}
          {conflicts.map(({ subject, name }, i) => (
            <span key={`${subject}/${name}`}>
              {i > 0 && ", "}
              <b>{name ? `${subject} ${name}` : subject}</b>
            </span>
          ))}
          : a rebase keeps your value and marks it as a change.
        </p>
      )}
      <p className="row wrap" style={{ marginTop: 10, gap: 8 }}>
        <button type="button" className="btn pri" onClick={() => onRebase(set)}>
          Rebase mine on rev {current.revision}
        </button>
        <button type="button" className="btn" onClick={onDiscard}>
          Discard mine
        </button>
      </p>
    </div>
  );
}
