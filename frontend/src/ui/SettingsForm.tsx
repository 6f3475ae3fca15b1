import type { FormEvent, ReactNode } from "react";
import { sentence } from "@/api/problem";

type Props = {
  /** When changes apply, and to whom. */
  about: string;
  /** The owner of the domain's files; null if it is edited by hand. */
  managedBy: string | null | undefined;
  /** What the service refused the last change with, unless a field says it. */
  error: unknown;
  saving: boolean;
  onSubmit: (event: FormEvent) => void;
  onCancel: () => void;
  children: ReactNode;
};

/** The form of some settings of a domain: what is said before its fields, and the buttons after them. */
export function SettingsForm({ about, managedBy, error, saving, onSubmit, onCancel, children }: Props) {
  return (
    <form className="form" onSubmit={onSubmit} noValidate>
      {error != null && (
        <p className="note bad" role="alert">
          {sentence(error)}
        </p>
      )}
      <p className="muted">{about}</p>
      {managedBy && (
        <p className="muted">
          The domain is managed by {managedBy}: the next apply of the files undoes changes made here.
        </p>
      )}
      {children}
      <p className="row" style={{ marginTop: 16 }}>
        <button type="submit" className="btn pri" disabled={saving}>
          {saving ? "Saving…" : "Save changes"}
        </button>
        <button type="button" className="btn" onClick={onCancel}>
          Cancel
        </button>
      </p>
    </form>
  );
}
