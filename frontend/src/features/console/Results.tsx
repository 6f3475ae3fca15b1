import { useMemo, useState } from "react";
import { Problem, sentence, withFaults } from "@/api/problem";
import type { SqlError } from "@/api/types";
import { count } from "@/format/format";
import type { Execution, Result } from "@/sql/execution";
import { Panel, Seg } from "@/ui/parts";
import { Grid } from "./Grid";
import { PlanTree } from "./PlanTree";
import { readPlan } from "./plan";
import { isUnexplained, type Place, placeOf, type Sent } from "./sent";

type Props = { domain: string; sent: Sent; execution: Execution; onGo: (offset: number) => void };

/** What the statements answered: rows, a plan or errors, and what is missing. */
export function Results({ domain, sent, execution, onGo }: Props) {
  const { outcome, results, error } = execution;
  const [chosen, setChosen] = useState<string | null>(null);
  const failed = results.findIndex((each) => each.error);
  const index = chosen === null ? Math.max(0, failed) : Number(chosen);
  const result = results[index];
  const unexplained = isUnexplained(sent, index, result?.error) ? result?.error : undefined;
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
          {refusedByRules(error)}
        </p>
      )}
      {outcome === "cut" && (
        <p className="note bad" role="alert">
          {results.length > 0
            ? "The answer was broken off before its end: rows are missing, and the reason did not arrive."
            : "The service did not answer."}
          {!sent.readOnly && " The statement may have been executed nevertheless."}
        </p>
      )}
      {results.length > 1 && (
        <div className="scroll-x sql-choose">
          <Seg label="Statement" value={String(index)} options={options} onChange={setChosen} />
        </div>
      )}
      {unexplained && (
        <p className="note bad" role="alert">
          <b>This statement cannot be explained.</b> PostgreSQL explains SELECT, VALUES, TABLE, INSERT, UPDATE, DELETE,
          MERGE, EXECUTE, DECLARE, CREATE TABLE … AS and materialized views. It says:{" "}
          <span className="mono">{unexplained.message}</span>
        </p>
      )}
      {result?.error && !unexplained && (
        <Failure error={result.error} sent={sent} place={placeOf(sent, index, result.error)} onGo={onGo} />
      )}
      {result && (result.done || result.columns.length > 0) && (result.rows.length > 0 || !result.error) && (
        <Rows key={index} result={result} sent={sent} outcome={outcome} />
      )}
    </>
  );
}

function Rows({ result, sent, outcome }: { result: Result; sent: Sent; outcome: Execution["outcome"] }) {
  const { rows, done } = result;
  const json = sent.explain && done ? rows[0]?.[0] : null;
  const plan = useMemo(() => (json ? readPlan(json) : null), [json]);
  if (plan) {
    return (
      <Panel title="Plan">
        <PlanTree plan={plan} />
      </Panel>
    );
  }
  const dropped = result.count - rows.length;
  return (
    <Panel title="Rows" aside={<span className="muted">{said(result)}</span>}>
      {done?.limited && (
        <p className="pad" role="status">
          The row limit of {count(done.rows)} was reached. There may be more rows.
        </p>
      )}
      {dropped > 0 && (
        <p className="pad" role="status">
          This page keeps the first {count(rows.length)} rows. {count(dropped)} more were counted and not kept.
        </p>
      )}
      {rows.length > 0 ? (
        <Grid result={result} label="Rows of the answer" />
      ) : (
        <p className="empty">
          {done ? "The statement returned no rows." : outcome === "running" ? "No row so far." : "No row arrived."}
        </p>
      )}
    </Panel>
  );
}

/** "SELECT, 3 rows" */
function said({ done, count: rows }: Result): string {
  const n = done?.rows ?? rows;
  return `${done?.command ? `${done.command}, ` : ""}${count(n)} ${n === 1 ? "row" : "rows"}`;
}

function refusal(domain: string, error: unknown): string {
  const role = error instanceof Problem && error.status === 403;
  return role ? `This session may not execute statements on ${domain}: ${sentence(error)}` : sentence(error);
}

const STATEMENT = /^\/statements\/(\d+)/;

/** A request that was not executed: of several statements, which ones are the reason. */
function refusedByRules(error: unknown): string {
  if (!(error instanceof Problem)) return sentence(error);
  return withFaults(error, ({ pointer, message }) => {
    const [, statement] = STATEMENT.exec(pointer ?? "") ?? [];
    return statement === undefined ? (message ?? "") : `statement ${Number(statement) + 1} ${message}`;
  });
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
