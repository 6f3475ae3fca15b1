import { type FormEvent, useState } from "react";
import { changed } from "@/api/changed";
import { useChangeDatabase, useCreateDatabase, useDatabases } from "@/api/databases";
import { Problem, sentence } from "@/api/problem";
import type { Database, DatabaseCreate } from "@/api/types";
import { NO_WHOLE_NUMBER, wholeNumber } from "@/format/wholeNumber";
import { freshness } from "@/stream/browser";
import { isCurrent } from "@/stream/freshness";
import { useLive, useRows } from "@/stream/hooks";
import { Confirm, type Question } from "@/ui/Confirm";
import { Field, TextField } from "@/ui/Field";
import { overcommitted, questionBefore } from "./budget";

type SslMode = NonNullable<DatabaseCreate["sslMode"]>;

/** Fields of whole numbers. */
const NUMBERS = ["port", "budget"] as const;

const SSL_MODES: readonly SslMode[] = ["disable", "prefer", "require", "verify-ca", "verify-full"];

/** Left to the service: verify-full for a host that is not its own machine, else prefer. */
const DEFAULT_SSL_MODE = "default" as const;

/**
 * Adds a database or changes one, with only what differs from the values it opened with: somebody else's change stays. The password is
 * write-only.
 */
export function DatabaseForm({ database, onDone }: { database?: Database; onDone: () => void }) {
  const create = useCreateDatabase();
  const change = useChangeDatabase(database?.name ?? "");
  const { isPending, error } = database ? change : create;
  const [before] = useState(database);
  const [form, setForm] = useState({
    name: before?.name ?? "",
    host: before?.host ?? "",
    port: String(before?.port ?? 5432),
    database: before?.database ?? "",
    user: before?.user ?? "",
    password: "",
    sslMode: before?.sslMode ?? DEFAULT_SSL_MODE,
    budget: String(before?.budget ?? 20),
  });
  const set = (field: keyof typeof form) => (event: { target: { value: string } }) =>
    setForm((old) => ({ ...old, [field]: event.target.value }));
  const problem = error instanceof Problem ? error : null;
  const [unreadable, setUnreadable] = useState<readonly string[]>([]);
  const faultAt = (field: string) => (unreadable.includes(field) ? NO_WHOLE_NUMBER : problem?.at(`/${field}`));
  const known = Object.keys(form).some((field) => faultAt(field));

  const all = useDatabases();
  const place = { name: form.name.trim(), host: form.host.trim(), port: Number(form.port) };
  const tight = overcommitted(Number(form.budget), place, all.data ?? []);
  const open = useLive((s) => s.databases()).find((d) => d.name === database?.name)?.open;
  const pools = useRows().filter((pool) => pool.database === database?.name);
  const [asked, setAsked] = useState<Question | null>(null);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wrong = NUMBERS.filter((field) => wholeNumber(form[field]) === null);
    setUnreadable(wrong);
    if (wrong.length > 0) return;
    const told = {
      open,
      pools: pools.length < (database?.domains.length ?? 0) ? undefined : pools,
      current: isCurrent(freshness().level),
    };
    const question = database && before ? questionBefore(database, changed(body, before), told) : null;
    if (question) setAsked(question);
    else send();
  };

  const { name, password, port, budget, sslMode, ...rest } = form;
  const body = {
    ...rest,
    port: Number(port),
    budget: Number(budget),
    ...(sslMode === DEFAULT_SSL_MODE ? {} : { sslMode: sslMode as SslMode }),
    ...(password ? { password } : {}),
  };
  const send = () => {
    const options = { onSuccess: onDone, onError: () => setAsked(null) }; // the form says what is wrong, and where
    if (before) change.mutate(changed(body, before), options);
    else create.mutate({ name, ...body } as DatabaseCreate, options);
  };

  return (
    <form className="form" onSubmit={submit} noValidate>
      {error && !known && (
        <p className="note bad" role="alert">
          {sentence(error)}
        </p>
      )}
      {error && known && problem?.kind === "database-unreachable" && (
        <p className="note bad" role="alert">
          {problem.message}. Nothing was changed.
        </p>
      )}
      {!database && (
        <TextField
          label="Name"
          value={form.name}
          onChange={set("name")}
          fault={faultAt("name")}
          placeholder="main"
          data-autofocus
        />
      )}
      <TextField
        label="Host"
        value={form.host}
        onChange={set("host")}
        fault={faultAt("host")}
        placeholder="db.internal"
        data-autofocus={database !== undefined || undefined}
      />
      <TextField label="Port" value={form.port} onChange={set("port")} fault={faultAt("port")} inputMode="numeric" />
      <TextField label="Database" value={form.database} onChange={set("database")} fault={faultAt("database")} />
      <TextField label="User" value={form.user} onChange={set("user")} fault={faultAt("user")} autoComplete="off" />
      <TextField
        label="Password"
        type="password"
        value={form.password}
        onChange={set("password")}
        fault={faultAt("password")}
        autoComplete="new-password"
        placeholder={database ? "unchanged" : ""}
        help="Stored encrypted and never shown again."
      />
      <Field label="TLS" fault={faultAt("sslMode")}>
        {(props) => (
          <select {...props} value={form.sslMode} onChange={set("sslMode")}>
            {!database && <option value={DEFAULT_SSL_MODE}>default: verify-full, prefer on this machine</option>}
            {SSL_MODES.map((mode) => (
              <option key={mode}>{mode}</option>
            ))}
          </select>
        )}
      </Field>
      <TextField
        label="Budget"
        value={form.budget}
        onChange={set("budget")}
        fault={faultAt("budget")}
        inputMode="numeric"
        help="The most connections that Headgate opens to this database."
      />
      {tight && (
        <p className="note warn" role="status">
          {tight}
        </p>
      )}
      <Confirm question={asked} busy={isPending} onConfirm={send} onClose={() => setAsked(null)} />
      <p className="row" style={{ marginTop: 16 }}>
        <button type="submit" className="btn pri" disabled={isPending}>
          {isPending ? "Connecting…" : database ? "Save changes" : "Add database"}
        </button>
        <button type="button" className="btn" onClick={onDone}>
          Cancel
        </button>
      </p>
    </form>
  );
}
