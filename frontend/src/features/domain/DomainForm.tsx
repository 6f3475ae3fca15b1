import { type FormEvent, useState } from "react";
import { useDatabases } from "@/api/databases";
import { useCreateDomain } from "@/api/domains";
import { Problem, sentence } from "@/api/problem";
import { NO_WHOLE_NUMBER, wholeNumber } from "@/format/wholeNumber";
import { Field, TextField } from "@/ui/Field";
import { LabelRows, useLabelRows } from "./LabelRows";

const NO_LABELS = {};

/** Creates a domain with a name, a database, labels and a small policy set. */
export function DomainForm({ onMade, onCancel }: { onMade: (domain: string) => void; onCancel: () => void }) {
  const databases = useDatabases();
  const create = useCreateDomain();
  const [form, setForm] = useState({ name: "", database: "", description: "", min: "1", max: "10" });
  const labels = useLabelRows(NO_LABELS);
  const set = (field: keyof typeof form) => (event: { target: { value: string } }) =>
    setForm((old) => ({ ...old, [field]: event.target.value }));
  const problem = create.error instanceof Problem ? create.error : null;
  const [unreadable, setUnreadable] = useState<readonly string[]>([]);
  const numberFault = (field: "min" | "max") =>
    unreadable.includes(field) ? NO_WHOLE_NUMBER : fault(`/policySet/policies/0/parameters/${field}`);
  const taken = problem?.kind === "conflict";
  const fault = (...pointers: string[]) => pointers.map((p) => problem?.at(p)).find(Boolean);
  const faults = {
    name: fault("/name") ?? (taken ? problem.message : undefined),
    database: fault("/database"),
    description: fault("/description"),
    min: numberFault("min"),
    max: numberFault("max"),
  };
  const labelFaults = labels.faults(problem);
  const isSaidAtAField = [...Object.values(faults), ...labelFaults].some(Boolean);
  const database = form.database || databases.data?.[0]?.name || "";

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wanted = labels.checked();
    const wrong = (["min", "max"] as const).filter((field) => wholeNumber(form[field]) === null);
    setUnreadable(wrong);
    if (!wanted || wrong.length > 0) return;
    create.mutate(
      {
        name: form.name.trim(),
        database,
        ...(form.description.trim() ? { description: form.description.trim() } : {}),
        labels: wanted,
        policySet: {
          policies: [{ plugin: "min-max", parameters: { min: Number(form.min), max: Number(form.max) } }],
          whenExhausted: { mode: "queue", timeoutMs: 5000, depth: 1000 },
        },
      },
      { onSuccess: (made) => onMade(made.name) },
    );
  };

  return (
    <form className="form" onSubmit={submit} noValidate>
      {create.isError && !isSaidAtAField && (
        <p className="note bad" role="alert">
          {sentence(create.error)}
        </p>
      )}
      <TextField
        label="Name"
        value={form.name}
        onChange={set("name")}
        fault={faults.name}
        placeholder="checkout"
        help="Letters, digits and “-”. It is also the database name on the wire port."
        data-autofocus
      />
      <Field label="Database" fault={faults.database}>
        {(props) => (
          <select {...props} value={database} onChange={set("database")}>
            {databases.data?.map((d) => (
              <option key={d.name}>{d.name}</option>
            ))}
          </select>
        )}
      </Field>
      <TextField
        label="Description"
        value={form.description}
        onChange={set("description")}
        fault={faults.description}
      />
      <fieldset className="label-fields">
        <legend>Labels</legend>
        <LabelRows labels={labels} faults={labelFaults} />
      </fieldset>
      <TextField
        label="min"
        value={form.min}
        onChange={set("min")}
        fault={faults.min}
        inputMode="numeric"
        help="Kept open even when idle."
      />
      <TextField
        label="max"
        value={form.max}
        onChange={set("max")}
        fault={faults.max}
        inputMode="numeric"
        help="The most connections. You can add more policies on the domain's page."
      />
      <p className="row" style={{ marginTop: 16 }}>
        <button type="submit" className="btn pri" disabled={create.isPending}>
          {create.isPending ? "Creating…" : "Create the domain"}
        </button>
        <button type="button" className="btn" onClick={onCancel}>
          Cancel
        </button>
      </p>
    </form>
  );
}
