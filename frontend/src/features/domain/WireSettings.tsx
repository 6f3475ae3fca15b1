import { type FormEvent, useState } from "react";
import { changed } from "@/api/changed";
import { useChangeDomain } from "@/api/domains";
import { Problem } from "@/api/problem";
import type { Domain } from "@/api/types";
import { NO_WHOLE_NUMBER, wholeNumber } from "@/format/wholeNumber";
import { Confirm, type Question } from "@/ui/Confirm";
import { Field, TextField } from "@/ui/Field";
import { Modal } from "@/ui/layers";
import { SettingsForm } from "@/ui/SettingsForm";
import { questionBeforeWire } from "./questions";

type Wire = Domain["wire"];

const MODES: Record<Wire["mode"], string> = {
  transaction: "transaction: for one transaction at a time",
  session: "session: from its first statement until it leaves",
  statement: "statement: for one statement; transactions of several are refused",
};
const SESSION_STATES: Record<Wire["sessionState"], string> = {
  pin: "pin: the client keeps its connection until it leaves",
  refuse: "refuse: the statement fails",
};

const UNNAMED_STATEMENTS: Record<Wire["unnamedStatements"], string> = {
  auto: "auto: kept prepared",
  off: "off: forwarded unchanged",
};

type Props = { domain: Domain; connected: number; opened: boolean; onClose: () => void };

/** Changes the domain's settings on the wire port. */
export function WireSettings({ domain, connected, opened, onClose }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} size={560} title={`Wire port settings of ${domain.name}`}>
      <WireForm domain={domain} connected={connected} onDone={onClose} />
    </Modal>
  );
}

/** Sends only what differs from the values it opened with, so it does not undo somebody else's change. */
function WireForm({ domain, connected, onDone }: { domain: Domain; connected: number; onDone: () => void }) {
  const change = useChangeDomain(domain.name);
  const [before] = useState(domain.wire);
  const [wire, setWire] = useState(before);
  const [maxClients, setMaxClients] = useState(String(before.maxClients));
  const [unreadable, setUnreadable] = useState(false);
  const problem = change.error instanceof Problem ? change.error : null;
  const faults = {
    mode: problem?.at("/wire/mode"),
    maxClients: unreadable ? NO_WHOLE_NUMBER : problem?.at("/wire/maxClients"),
    sessionState: problem?.at("/wire/sessionState"),
    unnamedStatements: problem?.at("/wire/unnamedStatements"),
  };

  const difference = changed({ ...wire, maxClients: Number(maxClients) }, before);
  const [asked, setAsked] = useState<Question | null>(null);
  const send = () => change.mutate({ wire: difference }, { onSuccess: onDone, onError: () => setAsked(null) }); // the form says what is wrong

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const isReadable = wholeNumber(maxClients) !== null;
    setUnreadable(!isReadable);
    if (!isReadable) return;
    const question = questionBeforeWire(domain.name, before, difference, connected);
    if (Object.keys(difference).length === 0) onDone();
    else if (question) setAsked(question);
    else send();
  };

  return (
    <SettingsForm
      about="Changes apply to clients that connect later. Connected clients keep the old settings."
      managedBy={domain.managedBy}
      error={!Object.values(faults).some(Boolean) ? change.error : null}
      saving={change.isPending}
      onSubmit={submit}
      onCancel={onDone}
    >
      <Confirm question={asked} busy={change.isPending} onConfirm={send} onClose={() => setAsked(null)} />
      <Field label="Mode" fault={faults.mode} help="How long a client keeps a connection.">
        {(props) => (
          <select
            {...props}
            value={wire.mode}
            onChange={(event) => setWire({ ...wire, mode: event.target.value as Wire["mode"] })}
          >
            {Object.entries(MODES).map(([mode, words]) => (
              <option key={mode} value={mode}>
                {words}
              </option>
            ))}
          </select>
        )}
      </Field>
      <TextField
        label="Maximum clients"
        value={maxClients}
        onChange={(event) => setMaxClients(event.target.value)}
        fault={faults.maxClients}
        inputMode="numeric"
        help="The most clients connected at once; more are refused."
      />
      <Field
        label="Session state"
        fault={faults.sessionState}
        help="What happens to LISTEN, temporary tables and other state of a connection. No effect in session mode."
      >
        {(props) => (
          <select
            {...props}
            value={wire.sessionState}
            onChange={(event) => setWire({ ...wire, sessionState: event.target.value as Wire["sessionState"] })}
          >
            {Object.entries(SESSION_STATES).map(([state, words]) => (
              <option key={state} value={state}>
                {words}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field
        label="Unnamed statements"
        fault={faults.unnamedStatements}
        help="Most drivers send one with every query. If it is kept prepared, the server parses and plans it once."
      >
        {(props) => (
          <select
            {...props}
            value={wire.unnamedStatements}
            onChange={(event) =>
              setWire({ ...wire, unnamedStatements: event.target.value as Wire["unnamedStatements"] })
            }
          >
            {Object.entries(UNNAMED_STATEMENTS).map(([choice, words]) => (
              <option key={choice} value={choice}>
                {words}
              </option>
            ))}
          </select>
        )}
      </Field>
    </SettingsForm>
  );
}
