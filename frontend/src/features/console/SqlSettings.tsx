import { type FormEvent, useState } from "react";
import { changed } from "@/api/changed";
import { useChangeDomain } from "@/api/domains";
import { Problem } from "@/api/problem";
import type { Domain } from "@/api/types";
import { count } from "@/format/format";
import { UNTOLD } from "@/stream/freshness";
import { usePool } from "@/stream/hooks";
import { Confirm, type Question } from "@/ui/Confirm";
import { Field, TextField } from "@/ui/Field";
import { Modal } from "@/ui/layers";
import { SettingsForm } from "@/ui/SettingsForm";

type Sql = Domain["sql"];
type Limit = Exclude<keyof Sql, "access">;

const ACCESS: Record<Sql["access"], string> = {
  write: "write: statements may change data",
  read: "read: every request is a read-only transaction",
  off: "off: every request is refused",
};

const LIMITS: readonly (readonly [Limit, string, string])[] = [
  ["maxRows", "Most rows", "Of one answer; one with more fails. 0 for no limit."],
  ["maxBytes", "Most bytes", "Of the values in all answers to a request; more fail. 0 for no limit."],
  ["timeoutMs", "Most time, in ms", "Of a request. 0 for the service's own limit alone (headgate.sql.timeout)."],
];

type Props = { domain: Domain; opened: boolean; onClose: () => void };

/** Changes what requests for SQL over HTTP may do on the domain, and take. */
export function SqlSettings({ domain, opened, onClose }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} size={560} title={`SQL over HTTP on ${domain.name}`}>
      <SqlForm domain={domain} onDone={onClose} />
    </Modal>
  );
}

const asText = (sql: Sql): Record<Limit, string> => ({
  maxRows: String(sql.maxRows),
  maxBytes: String(sql.maxBytes),
  timeoutMs: String(sql.timeoutMs),
});

/** Sends only what differs from the values it opened with, so it does not undo somebody else's change. */
function SqlForm({ domain, onDone }: { domain: Domain; onDone: () => void }) {
  const change = useChangeDomain(domain.name);
  const [before] = useState(domain.sql);
  const [access, setAccess] = useState(before.access);
  const [limits, setLimits] = useState(() => asText(before));
  const [unreadable, setUnreadable] = useState<readonly Limit[]>([]);
  const [asked, setAsked] = useState<{ question: Question; difference: Partial<Sql> } | null>(null);
  const rate = usePool(domain.name)?.arrivalsPerSecond;
  const problem = change.error instanceof Problem ? change.error : null;
  const faultAt = (field: keyof Sql) =>
    unreadable.some((each) => each === field) ? "must be a whole number" : problem?.at(`/sql/${field}`);
  const placed = faultAt("access") ?? LIMITS.map(([field]) => faultAt(field)).find(Boolean);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wrong = LIMITS.map(([field]) => field).filter((field) => !/^\s*\d{1,15}\s*$/.test(limits[field]));
    setUnreadable(wrong);
    if (wrong.length > 0) return;
    const wanted = {
      access,
      maxRows: Number(limits.maxRows),
      maxBytes: Number(limits.maxBytes),
      timeoutMs: Number(limits.timeoutMs),
    };
    const difference = changed(wanted, before);
    const question = questionBefore(domain.name, before, difference, rate);
    if (Object.keys(difference).length === 0) onDone();
    else if (question) setAsked({ question, difference });
    else send(difference);
  };
  const send = (difference: Partial<Sql>) =>
    change.mutate({ sql: difference }, { onSuccess: onDone, onError: () => setAsked(null) });

  return (
    <SettingsForm
      about="For this console, the API and programs that speak Neon's protocol. Changes apply to later requests."
      managedBy={domain.managedBy}
      error={placed === undefined ? change.error : null}
      saving={change.isPending}
      onSubmit={submit}
      onCancel={onDone}
    >
      <Confirm
        question={asked?.question ?? null}
        busy={change.isPending}
        onConfirm={() => asked && send(asked.difference)}
        onClose={() => setAsked(null)}
      />
      <Field label="Access" fault={faultAt("access")} help="The rights of the database's user bound it as well.">
        {(props) => (
          <select {...props} value={access} onChange={(event) => setAccess(event.target.value as Sql["access"])}>
            {Object.entries(ACCESS).map(([choice, words]) => (
              <option key={choice} value={choice}>
                {words}
              </option>
            ))}
          </select>
        )}
      </Field>
      {LIMITS.map(([field, label, help]) => (
        <TextField
          key={field}
          label={label}
          help={help}
          value={limits[field]}
          onChange={(event) => setLimits({ ...limits, [field]: event.target.value })}
          fault={faultAt(field)}
          inputMode="numeric"
        />
      ))}
    </SettingsForm>
  );
}

/**
 * Before what refuses requests from now on. Null for others.
 *
 * @param change the settings that differ
 * @param arrivals requests a second on the domain; undefined if the stream has not told
 */
export function questionBefore(
  domain: string,
  before: Sql,
  { access, ...limits }: Partial<Sql>,
  arrivals: number | undefined,
): Question | null {
  const narrows = access === "off" || (access === "read" && before.access === "write");
  const lowered = LIMITS.flatMap(([field, label]) => {
    const limit = limits[field];
    return limit && (before[field] === 0 || limit < before[field]) ? [`${label}: ${count(limit)}. More fail.`] : [];
  });
  if (!narrows && lowered.length === 0) return null;
  return {
    title: `Restrict SQL over HTTP on ${domain}?`,
    lines: [
      ...(narrows
        ? [
            `${access === "off" ? "Every later request is refused" : "Later statements that change data fail"}: of this console, the API, and programs that speak Neon's protocol.`,
          ]
        : []),
      ...lowered,
      arrivals === undefined
        ? UNTOLD
        : `${count(Math.round(arrivals))} requests a second arrive on ${domain}, in all ways.`,
    ],
    streamed: true,
    undo: "Saving the former settings takes it back. What was refused stays refused.",
    action: "Change the settings",
  };
}
