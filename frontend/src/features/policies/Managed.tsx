import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { exportQuery, type Scope } from "@/api/policies";
import type { PolicySetRevision } from "@/api/types";
import { loadCode } from "@/ui/loadCode";
import { Diff } from "./Diff";
import type { Draft } from "./draft";

/** Says why somebody who may only look cannot edit a set. */
export function ReaderNote() {
  return (
    <div className="note small managed" role="note" data-testid="reader">
      <p>
        <b>Read-only.</b> You are signed in as a reader. To change this set, sign in with the administrator's token: it
        is in the file <code>admin-token</code> of the data folder.
      </p>
    </div>
  );
}

type Props = { scope: Scope; current: PolicySetRevision };

/** Says why a set cannot be edited here and what to do instead, and copies the set as YAML. */
export function ManagedNote({ scope, current }: Props) {
  const yaml = useQuery(exportQuery(scope, current.revision, true));
  const name = scope.kind === "domain" ? scope.name : `database/${scope.name}`;
  return (
    <div className="note small managed" role="note" data-testid="managed">
      <p>
        <b>Read-only.</b> This set is managed by {current.managedBy}. Change it there and run{" "}
        <code>./headgate apply</code>; to edit it here, release it with <code>./headgate apply --release {name}</code>.
      </p>
      <CopyYaml text={yaml.data}>
        {yaml.isError && <span role="alert">The set cannot be loaded as YAML.</span>}
      </CopyYaml>
    </div>
  );
}

/** What somebody drafted before the set could no longer be edited here. */
export function KeptDraft({ draft: { base, set }, onDiscard }: { draft: Draft; onDiscard: () => void }) {
  const yaml = useQuery({
    queryKey: ["draft as YAML", set],
    queryFn: async () => (await loadCode(() => import("./setText"))).writeSet(set),
  });
  return (
    <div className="note warn small managed" role="note" data-testid="kept-draft">
      <p>
        <b>Your draft</b> cannot be applied here. It is kept in this tab:
      </p>
      <Diff from={base} to={set} />
      <CopyYaml text={yaml.data}>
        <button type="button" className="btn small" onClick={onDiscard}>
          Discard
        </button>
      </CopyYaml>
    </div>
  );
}

function CopyYaml({ text, children }: { text: string | undefined; children: ReactNode }) {
  const [copied, setCopied] = useState<"yes" | "no" | null>(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text ?? "");
      setCopied("yes");
    } catch {
      setCopied("no"); // there is no clipboard outside a secure context: show the text instead
    }
  };
  return (
    <>
      <div className="row wrap" style={{ gap: 8 }}>
        <button type="button" className="btn small" disabled={!text} onClick={() => void copy()}>
          Copy as YAML
        </button>
        {copied === "yes" && <span role="status">Copied.</span>}
        {children}
      </div>
      {copied === "no" && (
        <textarea className="inp" rows={8} readOnly aria-label="Policy set as YAML" value={text ?? ""} />
      )}
    </>
  );
}
