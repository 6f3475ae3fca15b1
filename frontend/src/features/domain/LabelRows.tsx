import "./labels.css";
import { useRef, useState } from "react";
import type { Problem } from "@/api/problem";
import type { Domain } from "@/api/types";

/** @param added whether it was not there when the form opened */
type Row = { id: number; name: string; value: string; added: boolean };

/** The labels that a form shows, as rows that are typed into. */
export function useLabelRows(before: Domain["labels"]) {
  const [rows, setRows] = useState<readonly Row[]>(() =>
    Object.entries(before).map(([name, value], id) => ({ id, name, value, added: false })),
  );
  const [twice, setTwice] = useState<string | null>(null);
  return {
    rows,
    setRows,

    /** The labels as typed, without empty rows; null where a name is there twice, which the row then says. */
    checked(): Record<string, string> | null {
      const filled = rows
        .map(({ name, value }) => [name.trim(), value.trim()] as const)
        .filter(([name, value]) => name !== "" || value !== "");
      const again = filled.find(([name], i) => filled.findIndex(([other]) => other === name) !== i);
      setTwice(again ? again[0] : null);
      return again ? null : Object.fromEntries(filled);
    },

    /** What is wrong with each row: as it was checked here, or as the service said. */
    faults(problem: Problem | null): (string | undefined)[] {
      return rows.map((row, i) => {
        const name = row.name.trim();
        const again = name === twice && rows.findIndex((other) => other.name.trim() === name) !== i;
        return again ? "is there already" : name || row.value ? problem?.at(pointer(name)) : undefined;
      });
    },
  };
}

type Props = { labels: ReturnType<typeof useLabelRows>; faults: readonly (string | undefined)[] };

/** One row for each label, and the button that adds one. */
export function LabelRows({ labels: { rows, setRows }, faults }: Props) {
  const next = useRef(rows.length);
  const add = useRef<HTMLButtonElement>(null);
  const set = (id: number, to: Partial<Row>) =>
    setRows((all) => all.map((row) => (row.id === id ? { ...row, ...to } : row)));
  return (
    <>
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
    </>
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
