import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { annotationsOfDomainQuery, useAnnotate, useRemoveAnnotation } from "@/api/annotations";
import type { Past } from "@/api/past";
import { Problem, sentence } from "@/api/problem";
import type { Annotation } from "@/api/types";
import { stamp } from "@/format/format";
import { fieldOf, timeOf } from "@/range/range";
import { usePool, usePools } from "@/stream/hooks";
import { Confirm, type Question } from "@/ui/Confirm";
import { TextField } from "@/ui/Field";
import { Modal } from "@/ui/layers";
import { Fault, Seg } from "@/ui/parts";
import { useZone } from "@/ui/preferences";
import { questionBeforeUnmarking } from "./questions";

const KINDS = [
  ["deploy", "Deploy"],
  ["failover", "Failover"],
  ["note", "Note"],
] as const satisfies readonly (readonly [Annotation["kind"], string])[];

/** Whose charts are marked. */
type Reach = "domain" | "database" | "all";

type Props = {
  domain: string;
  /** The instant to mark, in ms since 1970; null while nothing is asked. */
  at: number | null;
  /** Whose annotations are listed. */
  past: Past;
  onClose: () => void;
};

/** Marks a moment on the domain's charts, and takes marks away. */
export function Annotate({ domain, at, past, onClose }: Props) {
  return (
    <Modal opened={at !== null} onClose={onClose} size={520} title={`Annotate the charts of ${domain}`}>
      {at !== null && <Body domain={domain} at={at} past={past} onClose={onClose} />}
    </Modal>
  );
}

function Body({ domain, at, past, onClose }: Props & { at: number }) {
  const zone = useZone();
  const annotate = useAnnotate();
  const [kind, setKind] = useState<Annotation["kind"]>("note");
  const [text, setText] = useState("");
  const [reach, setReach] = useState<Reach>("domain");
  const database = usePool(domain)?.database;
  const [time, setTime] = useState(fieldOf(at, zone));
  const problem = annotate.error instanceof Problem ? annotate.error : null;
  const faults = { text: problem?.at("/text"), time: problem?.at("/time") };
  const instant = timeOf(time, zone);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const whose = reach === "domain" ? { domain } : reach === "database" ? { database } : {};
    annotate.mutate(
      { kind, text: text.trim(), ...whose, time: new Date(instant).toISOString() },
      { onSuccess: onClose },
    );
  };
  return (
    <>
      <form className="form annotate" onSubmit={submit} noValidate>
        {annotate.isError && !faults.text && !faults.time && (
          <p className="note bad" role="alert">
            {sentence(annotate.error)}
          </p>
        )}
        <div className="field">
          <span className="muted">Kind</span>
          <Seg label="Kind" value={kind} options={KINDS} onChange={setKind} />
        </div>
        <div className="field">
          <span className="muted">On the charts of</span>
          <Seg
            label="On the charts of"
            value={reach}
            options={[
              ["domain", domain],
              ...(database ? [["database", `all of ${database}`] as const] : []),
              ["all", "all domains"],
            ]}
            onChange={setReach}
          />
        </div>
        <TextField
          label="Text"
          value={text}
          onChange={(event) => setText(event.target.value)}
          fault={faults.text}
          placeholder="shop 4.2"
          maxLength={500}
          autoComplete="off"
          data-autofocus
        />
        <TextField
          label="Time"
          type="datetime-local"
          step={1}
          value={time}
          onChange={(event) => setTime(event.target.value)}
          fault={faults.time}
          help={zone === "utc" ? "UTC" : "Local time"}
        />
        <p className="row" style={{ marginTop: 16 }}>
          <button
            type="submit"
            className="btn pri"
            disabled={annotate.isPending || text.trim() === "" || Number.isNaN(instant)}
          >
            Annotate
          </button>
          <button type="button" className="btn" onClick={onClose}>
            Cancel
          </button>
        </p>
      </form>
      <Listed domain={domain} past={past} />
    </>
  );
}

/** The annotations that the charts show. One that holds for a database or for all domains is removed from all their charts. */
function Listed({ domain, past }: { domain: string; past: Past }) {
  const zone = useZone();
  const annotations = useQuery(annotationsOfDomainQuery(domain, past)).data ?? [];
  const remove = useRemoveAnnotation();
  const pools = usePools();
  const [asked, setAsked] = useState<{ mark: Annotation; question: Question } | null>(null);
  const ask = (mark: Annotation) => {
    const marked = pools.filter((pool) => mark.database === null || pool.database === mark.database);
    setAsked({ mark, question: questionBeforeUnmarking(mark, marked.length) });
  };
  if (annotations.length === 0) return null;
  return (
    <section aria-label="Annotations of these charts" style={{ marginTop: 16 }}>
      <h3>On these charts</h3>
      {remove.isError && <Fault error={remove.error} />}
      <Confirm
        question={asked?.question ?? null}
        busy={remove.isPending}
        onConfirm={() => asked && remove.mutate(asked.mark.id, { onSettled: () => setAsked(null) })}
        onClose={() => setAsked(null)}
      />
      <ul className="annotations">
        {annotations.map((each) => (
          <li key={each.id}>
            <span className="grow">
              <span className="chip">{each.kind}</span> {each.text}
              <span className="muted small">
                {" "}
                {stamp(each.time, zone)} by {each.author}
                {each.domain ? "" : each.database ? `, all domains of ${each.database}` : ", all domains"}
              </span>
            </span>
            <button
              type="button"
              className="btn small"
              disabled={remove.isPending}
              aria-label={`Remove ${each.kind} ${each.text}`}
              onClick={() => ask(each)}
            >
              Remove
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
