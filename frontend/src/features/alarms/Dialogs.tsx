import { type FormEvent, useState } from "react";
import { useAcknowledge, useSilence } from "@/api/alarms";
import { sentence } from "@/api/problem";
import type { LoggedAlarm } from "@/api/types";
import { alarmName } from "@/format/names";
import { TextField } from "@/ui/Field";
import { Modal } from "@/ui/layers";
import { Seg } from "@/ui/parts";
import { useZone } from "@/ui/preferences";
import { overtaken, SILENCES, sentenceOf } from "./words";

/** The alarm as it is now: it may end, or somebody else may acknowledge it, while this is open. */
type Props = { alarm: LoggedAlarm; onClose: () => void };

/** Says that somebody has seen the alarm, and may say what they make of it. */
export function AcknowledgeDialog({ alarm, onClose }: Props) {
  const acknowledge = useAcknowledge();
  const over = useOver(alarm, "acknowledge", acknowledge.isPending);
  const [reason, setReason] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    acknowledge.mutate({ id: alarm.id, reason: reason.trim() || undefined }, { onSuccess: onClose });
  };
  return (
    <Modal opened onClose={onClose} title={`Acknowledge ${alarmName(alarm.code)}`} size={460}>
      <form className="form" onSubmit={submit} noValidate>
        <p className="muted">{sentenceOf(alarm.message)}</p>
        {over && <Over text={over} />}
        {!over && acknowledge.isError && (
          <p className="note bad" role="alert">
            {sentence(acknowledge.error)}
          </p>
        )}
        <TextField
          label="Reason"
          value={reason}
          onChange={(event) => setReason(event.target.value)}
          placeholder="I am on it"
          help="Optional. It stands beside the alarm and in the audit."
          maxLength={500}
          autoComplete="off"
          data-autofocus
        />
        <p className="row" style={{ marginTop: 16 }}>
          <button type="submit" className="btn pri" disabled={acknowledge.isPending || over !== null}>
            Acknowledge
          </button>
          <button type="button" className="btn" onClick={onClose}>
            Cancel
          </button>
        </p>
      </form>
    </Modal>
  );
}

/** Silences the alarm, and the same again, for some time and a reason. */
export function SilenceDialog({ alarm, onClose }: Props) {
  const silence = useSilence();
  const over = useOver(alarm, "silence", silence.isPending);
  const [reason, setReason] = useState("");
  const [minutes, setMinutes] = useState<(typeof SILENCES)[number][0]>("60");
  const [missing, setMissing] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setMissing(reason.trim() === "");
    if (reason.trim() === "") return;
    silence.mutate({ id: alarm.id, reason: reason.trim(), forMinutes: Number(minutes) }, { onSuccess: onClose });
  };
  return (
    <Modal opened onClose={onClose} title={`Silence ${alarmName(alarm.code)}`} size={460}>
      <form className="form" onSubmit={submit} noValidate>
        <p className="muted">
          It stays in the list and does not count. The same alarm is silent too if it is raised again.
        </p>
        {over && <Over text={over} />}
        {!over && silence.isError && (
          <p className="note bad" role="alert">
            {sentence(silence.error)}
          </p>
        )}
        <p className="silence-for">
          <span>For</span>
          <Seg label="For" value={minutes} options={SILENCES} onChange={setMinutes} />
        </p>
        <TextField
          label="Reason"
          value={reason}
          onChange={(event) => setReason(event.target.value)}
          fault={missing && reason.trim() === "" ? "is missing: somebody will wonder why it is silent" : undefined}
          placeholder="Load test until noon"
          maxLength={500}
          autoComplete="off"
          data-autofocus
        />
        <p className="row" style={{ marginTop: 16 }}>
          <button type="submit" className="btn pri" disabled={silence.isPending || over !== null}>
            Silence
          </button>
          <button type="button" className="btn" onClick={onClose}>
            Cancel
          </button>
        </p>
      </form>
    </Modal>
  );
}

/** Why the service would refuse it now; nothing while its answer is awaited, for its own change is told before. */
function useOver(alarm: LoggedAlarm, what: "acknowledge" | "silence", isSent: boolean): string | null {
  const zone = useZone();
  return isSent ? null : overtaken(alarm, what, zone);
}

function Over({ text }: { text: string }) {
  return (
    <p className="note warn" role="status">
      {text}
    </p>
  );
}
