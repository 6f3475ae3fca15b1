import { useState } from "react";
import { useDeleteDomain } from "@/api/domains";
import { usePool } from "@/stream/hooks";
import { Confirm, type Question } from "@/ui/Confirm";
import { useMayChange } from "@/ui/role";
import { questionBeforeDeletion } from "./questions";

/** Removes a domain. Asks for the name first, because a removal cannot be undone. */
export function RemoveDomain({ domain, onRemoved }: { domain: string; onRemoved: () => void }) {
  const remove = useDeleteDomain(domain, onRemoved);
  const mayChange = useMayChange();
  const pool = usePool(domain);
  const [asked, setAsked] = useState<Question | null>(null);
  if (!mayChange) return null;
  return (
    <details className="panel pad">
      <summary className="muted">Remove {domain}</summary>
      <p className="muted" style={{ margin: "8px 0" }}>
        This closes its connections and deletes its policy sets.
      </p>
      <button
        type="button"
        className="btn danger"
        onClick={() => {
          remove.reset();
          setAsked(questionBeforeDeletion(domain, pool));
        }}
      >
        Remove {domain}…
      </button>
      <Confirm
        question={asked}
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate()}
        onClose={() => setAsked(null)}
      />
    </details>
  );
}
