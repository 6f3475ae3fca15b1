import { useMemo, useState } from "react";
import { sentence } from "@/api/problem";
import type { SqlError } from "@/api/types";
import { count } from "@/format/format";
import { Panel, Seg } from "@/ui/parts";
import type { Execution, Result } from "./execution";
import { Grid } from "./Grid";
import { PlanTree } from "./PlanTree";
import { readPlan } from "./plan";
import { type Place, placeOf, type Sent } from "./sent";

type Props = { domain: string; sent: Sent; execution: Execution; onGo: (offset: number) => void };

/** What the statements answered: rows, a plan or errors, and what is missing. */
export function Results({ domain, sent, execution, onGo }: Props) {
  const { outcome, results, error } = execution;
  const [chosen, setChosen] = useState<string | null>(null);
  const failed = results.findIndex((each) => each.error);
  const index = chosen === null ? Math.max(0, failed) : Number(chosen);
  const result = results[index];
  const options = results.map((each, i) => [String(i), `${i + 1} ${each.error ? "failed" : said(each)}`] as const);
  return (
    <>
      {outcome === "refused" && (
        <p className="note warn" role="alert">
          {refusal(domain, error)}
        </p>
      )}
      {outcome === "failed" && error != null && (
        <p className="note bad" role="alert">
          {sentence(error)}
        </p>
      )}
      {outcome === "cut" && (
        <p className="note bad" role="alert">
          The answer was broken off before its end: rows are missing, and the reason did not arrive.
          {!sent.readOnly && " The statement may have been executed nevertheless."}
        </p>
      )}
      {results.length > 1 && (
        <div className="scroll-x sql-choose">
          <Seg label="Statement" value={String(index)} options={options} onChange={setChosen} />
        </div>
      )}
      {result?.error && (
        <Failure error={result.error} sent={sent} place={placeOf(sent, index, result.error)} onGo={onGo} />
      )}
      {result && (result.columns.length > 0 || result.done) && (
        <Rows key={index} result={result} sent={sent} outcome={outcome} />
      )}
    </>
  );
}

function Rows({ result, sent, outcome }: { result: Result; sent: Sent; outcome: Execution["outcome"] }) {
  const { rows, columns, done } = result;
  if (sent.explain && done && rows[0]?.[0]) {
    return (
      <Panel title="Plan">
        <ExplainedPlan json={rows[0][0]} />
      </Panel>
    );
  }
  const dropped = result.count - rows.length;
  return (
    <Panel title="Rows" aside={<span className="muted">{said(result)}</span>}>
      {done?.limited && (
        <p className="pad note-line" role="status">
          The row limit of {count(done.rows)} was reached. There may be more rows.
        </p>
      )}
      {dropped > 0 && (
        <p className="pad note-line" role="status">
          This page keeps the first {count(rows.length)} rows. {count(dropped)} more were counted and not kept.
        </p>
      )}
      {rows.length > 0 ? (
        <Grid result={result} label="Rows of the answer" />
      ) : (
        <p className="empty">
          {columns.length > 0 && outcome === "running" ? "No row so far." : "The statement returned no rows."}
        </p>
      )}
    </Panel>
  );
}

function ExplainedPlan({ json }: { json: string }) {
  const plan = useMemo(() => readPlan(json), [json]);
  return <PlanTree plan={plan} />;
}

/** "SELECT, 3 rows" */
function said({ done, count: rows }: Result): string {
  const n = done?.rows ?? rows;
  return `${done?.command ? `${done.command}, ` : ""}${count(n)} ${n === 1 ? "row" : "rows"}`;
}

function refusal(domain: string, error: unknown): string {
  const status = typeof error === "object" && error && "status" in error ? error.status : 0;
  return status === 403 ? `This session may not execute statements on ${domain}: ${sentence(error)}` : sentence(error);
}

const READ_ONLY = "25006";

/** An error as PostgreSQL tells it. */
function Failure({
  error,
  sent,
  place,
  onGo,
}: {
  error: SqlError;
  sent: Sent;
  place: Place | null;
  onGo: (offset: number) => void;
}) {
  return (
    <div className="note bad sql-error" role="alert">
      <p>
        <b>{error.message}</b> <span className="mono">SQLSTATE {error.code}</span>
        {place && (
          <button type="button" className="btn small" onClick={() => onGo(place.from)}>
            Go to line {place.line}
          </button>
        )}
      </p>
      {error.detail && <p>Detail: {error.detail}</p>}
      {error.hint && <p>Hint: {error.hint}</p>}
      {error.where && <p className="mono">{error.where}</p>}
      {error.code === READ_ONLY && sent.readOnly && (
        <p>{sent.explain ? "Turn off Read-only to see the plan without executing it." : "Read-only is on."}</p>
      )}
    </div>
  );
}
