import { type FormEvent, useRef, useState } from "react";
import { useChangeDomain } from "@/api/domains";
import { Problem } from "@/api/problem";
import type { Domain } from "@/api/types";
import { Modal } from "@/ui/layers";
import { SettingsForm } from "@/ui/SettingsForm";

type Props = { domain: Domain; opened: boolean; onClose: () => void };

/** Changes the labels of a domain. */
export function LabelSettings({ domain, opened, onClose }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} size={560} title={`Labels of ${domain.name}`}>
      <LabelForm domain={domain} onDone={onClose} />
    </Modal>
  );
}

/** @param added whether it was not there when the form opened */
type Row = { id: number; name: string; value: string; added: boolean };

function LabelForm({ domain, onDone }: { domain: Domain; onDone: () => void }) {
  const change = useChangeDomain(domain.name);
  const [before] = useState(domain.labels);
  const [rows, setRows] = useState<Row[]>(() =>
    Object.entries(before).map(([name, value], id) => ({ id, name, value, added: false })),
  );
  const next = useRef(rows.length);
  const add = useRef<HTMLButtonElement>(null);
  const set = (id: number, to: Partial<Row>) =>
    setRows((all) => all.map((row) => (row.id === id ? { ...row, ...to } : row)));
  const [twice, setTwice] = useState<string | null>(null);
  const problem = change.error instanceof Problem ? change.error : null;
  const faults = rows.map((row, i) => {
    const name = row.name.trim();
    const again = name === twice && rows.findIndex((other) => other.name.trim() === name) !== i;
    return again ? "is there already" : name || row.value ? problem?.at(pointer(name)) : undefined;
  });

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const filled = rows
      .map(({ name, value }) => [name.trim(), value.trim()] as const)
      .filter(([name, value]) => name !== "" || value !== "");
    const again = filled.find(([name], i) => filled.findIndex(([other]) => other === name) !== i);
    setTwice(again ? again[0] : null);
    if (again) return;
    const labels = Object.fromEntries(filled);
    if (same(labels, before)) onDone();
    else change.mutate({ labels }, { onSuccess: onDone });
  };

  return (
    <SettingsForm
      about="Labels group domains, and filters find them. The pool is the same with any."
      managedBy={domain.managedBy}
      error={faults.some(Boolean) ? null : change.error}
      saving={change.isPending}
      onSubmit={submit}
      onCancel={onDone}
    >
      {rows.map((row, i) => (
        <div key={row.id} className="label-row">
          <Part of={row} part="name" at={i} fault={faults[i]} onChange={(name) => set(row.id, { name })} />
          <Part of={row} part="value" at={i} fault={faults[i]} onChange={(value) => set(row.id, { value })} />
          <button
            type="button"
            className="btn small"
            aria-label={`Remove label ${i + 1}`}
            onClick={() => {
              setRows(rows.filter(({ id }) => id !== row.id));
              add.current?.focus();
            }}
          >
            Remove
          </button>
          {faults[i] && (
            <span className="fault" role="alert">
              {row.name.trim() || "A label without a name"} {faults[i]}
            </span>
          )}
        </div>
      ))}
      <p style={{ marginTop: 8 }}>
        <button
          ref={add}
          type="button"
          className="btn small"
          onClick={() => setRows([...rows, { id: next.current++, name: "", value: "", added: true }])}
        >
          Add a label
        </button>
      </p>
    </SettingsForm>
  );
}

type PartProps = {
  of: Row;
  part: "name" | "value";
  at: number;
  fault: string | undefined;
  onChange: (text: string) => void;
};

function Part({ of, part, at, fault, onChange }: PartProps) {
  return (
    <span className={`inp ${fault ? "faulty" : ""}`}>
      <input
        ref={of.added && part === "name" ? focus : undefined}
        value={of[part]}
        onChange={(event) => onChange(event.target.value)}
        placeholder={part}
        aria-label={`${part === "name" ? "Name" : "Value"} of label ${at + 1}`}
        aria-invalid={fault ? true : undefined}
        autoComplete="off"
        spellCheck={false}
      />
    </span>
  );
}

/** Called when a new row is there. */
const focus = (input: HTMLInputElement | null) => input?.focus();

const pointer = (name: string) => `/labels/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;

function same(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}
