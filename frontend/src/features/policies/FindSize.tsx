import "./findSize.css";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Problem, sentence } from "@/api/problem";
import { newestSearchQuery, useCancelSearch, useStartSearch } from "@/api/sizes";
import type { PolicySet, SizeSearch } from "@/api/types";
import { XyChart } from "@/charts/XyChart";
import { figure } from "@/format/figure";
import { stamp } from "@/format/format";
import { live } from "@/stream/browser";
import { useNow } from "@/stream/hooks";
import { Confirm, type Question } from "@/ui/Confirm";
import { TextField } from "@/ui/Field";
import { Fault } from "@/ui/parts";
import { useZone } from "@/ui/preferences";
import { Changes } from "@/ui/role";
import { questionBeforeSearch } from "./questions";
import { FIELDS, sizeCharts, sizeFault, sizeRequest, timeUsed, USUAL } from "./sizeSearch";

type Props = {
  domain: string;
  /** The revision in force. */
  revision: number;
  /** Takes the answer as a draft; undefined where the set cannot be edited. */
  onTake: ((set: PolicySet) => void) | undefined;
};

/** The newest search for the size of a domain's pool, and the form of the next. */
export function FindSize({ domain, revision, onTake }: Props) {
  const { data: search, error, refetch } = useQuery(newestSearchQuery(domain));
  return (
    <div className="stack find-size">
      <p>
        Tries sizes on the live load, and finds the smallest that is as good as the best. Callers may wait longer
        meanwhile. Nothing is applied: the policies decide again when the search ends, however it ends.
      </p>
      {error && <Fault error={error} retry={() => void refetch()} />}
      {search && <Search search={search} revision={revision} onTake={onTake} />}
      {search === null && (
        <Changes>
          <p className="muted">No size was searched for since the service started.</p>
        </Changes>
      )}
      {search !== undefined && search?.state !== "running" && (
        <Changes>
          <StartForm domain={domain} again={search !== null} />
        </Changes>
      )}
    </div>
  );
}

function StartForm({ domain, again }: { domain: string; again: boolean }) {
  const [form, setForm] = useState(USUAL);
  const [asked, setAsked] = useState<Question | null>(null);
  const start = useStartSearch(domain);
  const problem = start.error instanceof Problem ? start.error : null;
  const faults = FIELDS.map((field) => sizeFault(field, form[field.name]) ?? problem?.at(`/${field.name}`));
  const wrong = FIELDS.some((field) => sizeFault(field, form[field.name]) !== undefined);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    start.reset();
    if (!wrong) setAsked(questionBeforeSearch(domain, sizeRequest(form), live.pool(domain)));
  };
  return (
    <form className="form" onSubmit={submit} noValidate>
      <Confirm
        question={asked}
        busy={start.isPending}
        onConfirm={() => start.mutate(sizeRequest(form), { onError: () => setAsked(null) })}
        onClose={() => setAsked(null)}
      />
      {FIELDS.map(({ name, label, empty, help }, i) => (
        <TextField
          key={name}
          label={label}
          inputMode="numeric"
          autoComplete="off"
          value={form[name]}
          placeholder={empty}
          help={help}
          fault={faults[i]}
          onChange={({ target }) => {
            start.reset();
            setForm({ ...form, [name]: target.value });
          }}
        />
      ))}
      {start.isError && !faults.some(Boolean) && (
        <p className="note bad small" role="alert">
          {sentence(start.error)}
        </p>
      )}
      <p className="row">
        <button type="submit" className={`btn ${again ? "" : "pri"}`} disabled={wrong || start.isPending}>
          {again ? "Search again" : "Search on the live load"}
        </button>
      </p>
    </form>
  );
}

function Search({ search, revision, onTake }: Omit<Props, "domain"> & { search: SizeSearch }) {
  const zone = useZone();
  const { state, answer, trials } = search;
  return (
    <>
      <p className="muted small">
        Search {search.id} by {search.startedBy}, {stamp(search.startedAt, zone)}: sizes {search.least} to {search.most}
        ; {search.before} in force when it began.
      </p>
      {state === "running" && <Running search={search} />}
      {state === "failed" && (
        <p className="note bad" role="alert">
          It has no answer. {search.problem}
        </p>
      )}
      {state === "cancelled" && <p className="note">It was cancelled. The policies decide again.</p>}
      {answer && (
        <div className="note good stack" role="status" data-testid="found-size">
          <p>
            <b>
              {answer.size} connection{answer.size === 1 ? "" : "s"}.
            </b>{" "}
            {answer.sentence}
          </p>
          {answer.revision !== revision && (
            <p className="small">
              It was found under rev {answer.revision}; rev {revision} is in force now.
            </p>
          )}
          {onTake && (
            <p className="row">
              <button type="button" className="btn pri" onClick={() => onTake(answer.policySet)}>
                Use as draft
              </button>
              <span className="muted small">The editor plans it; it is applied only there.</span>
            </p>
          )}
        </div>
      )}
      {sizeCharts(trials).map((xy) => (
        <XyChart key={xy.title} xy={xy} height={150} />
      ))}
      {trials.length > 0 && <Trials search={search} />}
    </>
  );
}

function Running({ search }: { search: SizeSearch }) {
  const cancel = useCancelSearch(search.domain);
  const used = timeUsed(search, useNow());
  return (
    <div className="stack">
      <div className="row wrap">
        <progress aria-label={`Time of search ${search.id}`} value={used} max={1} />
        <span className="muted small">
          {Math.floor(used * search.mostSeconds)} of at most {search.mostSeconds} s
        </span>
        <span className="grow" />
        <Changes>
          <button type="button" className="btn" disabled={cancel.isPending} onClick={() => cancel.mutate(search.id)}>
            Cancel the search
          </button>
        </Changes>
      </div>
      <p className="muted" role="status">
        {search.doing ? `Measures ${search.doing}.` : "It begins."}
      </p>
      {cancel.isError && <Fault error={cancel.error} />}
    </div>
  );
}

/** No finer than a microsecond: what is below that is no wait. */
const millis = (value: number) => figure(Math.round(value * 1_000) / 1_000);

function Trials({ search: { trials, answer } }: { search: SizeSearch }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
    <section className="scroll-x" aria-label="Trials" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th className="r">Size</th>
            <th className="r">leases/s</th>
            <th className="r">wait ms</th>
            <th className="r">latency ms</th>
            <th className="r">p99 ms</th>
            <th className="r">response ms</th>
          </tr>
        </thead>
        <tbody>
          {trials.map((trial, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: trials are only appended.
            <tr key={i}>
              <td className="r">{trial.size === answer?.size ? <b>{trial.size}</b> : trial.size}</td>
              {trial.ruledOut === "" ? (
                <>
                  <td className="r">{figure(trial.perSecond)}</td>
                  <td className="r">{millis(trial.waitMs)}</td>
                  <td className="r">{millis(trial.latencyMs)}</td>
                  <td className="r">{millis(trial.p99Ms)}</td>
                  <td className="r">{millis(trial.responseMs)}</td>
                </>
              ) : (
                <td colSpan={5} className="muted">
                  ruled out: {trial.ruledOut}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
