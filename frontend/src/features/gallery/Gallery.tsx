import { Link } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { executeSql } from "@/api/sql";
import type { SqlRequest } from "@/api/types";
import { type Execution, execute } from "@/sql/execution";
import { readRecords, readWhole } from "@/sql/records";
import { Panel, Seg } from "@/ui/parts";
import { slowed } from "./pace";
import { RunList } from "./RunList";
import { type Asked, comparison, type Kind, type Run, runOf, SPEEDS, withRun } from "./runs";
import { Times } from "./Times";
import { Wall } from "./Wall";

/** The sizes of the measurement from which the demo's gallery is taken, "Streaming Presidents". */
const SIZES = [
  ["86", "86"],
  ["301", "301"],
  ["989", "989"],
] as const;

const TIMEOUT_MS = 120_000;

function requestOf(rows: number): SqlRequest {
  return {
    sql: `SELECT id, name, born, died, image, life FROM gallery.portraits ORDER BY id LIMIT ${rows}`,
    readOnly: true,
    timeoutMs: TIMEOUT_MS,
  };
}

/** Streams the demo's portraits into the page, and measures what a reader notices of it. */
export function Gallery({ domain }: { domain: string }) {
  const [rows, setRows] = useState<string>("86");
  const [speed, setSpeed] = useState<string>("");
  const [shown, setShown] = useState<{ asked: Asked; execution: Execution } | null>(null);
  const [runs, setRuns] = useState<Run[]>([]);
  const cancel = useRef<(() => void) | null>(null);
  const now = shown && runOf(shown.asked, shown.execution);
  const running = now?.outcome === "running";

  // Leaving the page cancels what it reads.
  useEffect(() => () => cancel.current?.(), []);

  const start = (kind: Kind) => {
    const asked: Asked = { kind, rows: Number(rows), bytesPerSecond: speed === "" ? null : Number(speed) };
    cancel.current = execute(
      async (signal) => {
        const accept = kind === "whole" ? "application/json" : "application/x-ndjson";
        const body = await executeSql(domain, requestOf(asked.rows), signal, accept);
        return asked.bytesPerSecond === null ? body : slowed(body, asked.bytesPerSecond, signal);
      },
      (execution) => {
        setShown({ asked, execution });
        if (execution.outcome !== "running") setRuns((before) => withRun(before, runOf(asked, execution)));
      },
      kind === "whole" ? readWhole : readRecords,
    );
  };

  const lastOf = (kind: Kind) => (now?.kind === kind ? now : runs.find((run) => run.kind === kind));
  const streamed = lastOf("streamed");
  const whole = lastOf("whole");
  const longestMs = Math.max(streamed?.closeMs ?? 0, whole?.closeMs ?? 0);
  const compared = comparison(streamed, whole);
  return (
    <div className="gallery">
      <section className="panel gallery-bar" aria-label="What to read">
        <span className="row">
          <span className="muted">Rows</span>
          <Seg label="Rows" value={rows} options={SIZES} onChange={setRows} />
        </span>
        <span className="row">
          <span className="muted">Reader</span>
          <Seg label="Reader's speed" value={speed} options={SPEEDS} onChange={setSpeed} />
        </span>
        <span className="row gallery-go">
          {running ? (
            <button type="button" className="btn" onClick={() => cancel.current?.()}>
              Cancel
            </button>
          ) : (
            <>
              <button type="button" className="btn" onClick={() => start("whole")}>
                Read whole
              </button>
              <button type="button" className="btn pri" onClick={() => start("streamed")}>
                Stream
              </button>
            </>
          )}
        </span>
      </section>
      <div className="stack gallery-figures">
        <Times title="Streamed" run={streamed} longestMs={longestMs}>
          Each row is shown when it arrives.
        </Times>
        <Times title="Whole, then shown" run={whole} longestMs={longestMs}>
          The answer is one JSON object, shown when all of it is there.
        </Times>
        {compared && (
          <p className="note" role="status">
            {compared}
          </p>
        )}
        <RunList runs={runs} />
        <Panel title="What a slow reader costs">
          <div className="pad stack gallery-about">
            <p>
              A slow reader takes the bytes no faster than it says. The others wait in the buffers of browser and
              kernel. When these are full, Headgate reads no more from PostgreSQL, and PostgreSQL waits.
            </p>
            <p>
              The memory of Headgate stays the same, however long the answer is. But the lease lasts until the last row
              has left: <i>in Headgate</i> grows, and others find one connection less. The buffers hold some 10 MB, so
              it takes 989 rows to see that.
            </p>
            <p>
              <Link to="/domains/$domain" params={{ domain }}>
                See the leases on the chart of {domain}
              </Link>
            </p>
          </div>
        </Panel>
      </div>
      <Wall rows={shown?.execution.results[0]?.rows ?? []} run={now} />
    </div>
  );
}
