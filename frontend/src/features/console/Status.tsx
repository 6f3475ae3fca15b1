import type { ReactNode } from "react";
import { count, duration } from "@/format/format";
import { type Execution, rowsOf } from "@/sql/execution";
import { useTick } from "@/stream/hooks";
import { OUTCOMES, OutcomeChip } from "@/ui/OutcomeChip";

/** How an execution stands, in figures. Screen readers are told of its beginning and its end only. */
export function Status({ execution }: { execution: Execution | null }) {
  const rows = execution ? rowsOf(execution) : 0;
  return (
    <div className="sql-status">
      <p className="sr-only" role="status" data-testid="outcome">
        {execution && sentenceOf(execution, rows)}
      </p>
      {execution && (
        <dl>
          <Fact name="State">
            <OutcomeChip outcome={execution.outcome} />
          </Fact>
          <Fact name="Rows">{count(rows)}</Fact>
          <Fact name="Elapsed">
            {execution.outcome === "running" ? (
              <Running since={execution.startedAt} />
            ) : (
              <>
                {duration(execution.elapsedMs)}
                {execution.end && <span className="faint"> · {duration(execution.end.elapsedMs)} in Headgate</span>}
              </>
            )}
          </Fact>
          <Fact name="First row after">{duration(execution.firstRowMs)}</Fact>
          <Fact name="Waited at the gate">{duration(execution.end?.waitedMs)}</Fact>
          <Fact name="Connection">{execution.end?.connection || "–"}</Fact>
        </dl>
      )}
    </div>
  );
}

function sentenceOf({ outcome }: Execution, rows: number): string {
  if (outcome === "running") return "Running.";
  return `The execution is ${OUTCOMES[outcome].label}, ${count(rows)} ${rows === 1 ? "row" : "rows"}.`;
}

function Running({ since }: { since: number }) {
  useTick(100);
  return <>{((performance.now() - since) / 1000).toFixed(1)} s</>;
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
