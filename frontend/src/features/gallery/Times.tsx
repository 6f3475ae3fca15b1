import type { ReactNode } from "react";
import { bytes, count, duration } from "@/format/format";
import { OUTCOMES, OutcomeChip } from "@/ui/OutcomeChip";
import { Panel } from "@/ui/parts";
import { barOf, type Run } from "./runs";

type Props = { title: string; run: Run | undefined; longestMs: number; children: ReactNode };

/** The three times of the last run of a kind, and what the service said at its end. */
export function Times({ title, run, longestMs, children }: Props) {
  return (
    <Panel title={title} aside={run && <OutcomeChip outcome={run.outcome} />}>
      <p className="sr-only" role="status">
        {run &&
          `${title}: ${OUTCOMES[run.outcome].label}${run.outcome === "running" ? "" : `, ${count(run.arrived)} rows`}.`}
      </p>
      <div className="pad stack gallery-run">
        <dl className="gallery-three">
          <Time name="first byte" ms={run?.firstByteMs} />
          <Time name="first row" ms={run?.firstRowMs} />
          <Time name="close" ms={run?.closeMs} open={run?.outcome === "running"} />
        </dl>
        {run ? <Bar run={run} longestMs={longestMs} /> : <div className="gallery-time" />}
        {run?.trouble ? (
          <p className="note bad" role="alert">
            {run.trouble}
          </p>
        ) : (
          <p className="muted small">{run ? factsOf(run) : children}</p>
        )}
      </div>
    </Panel>
  );
}

function Time({ name, ms, open = false }: { name: string; ms: number | null | undefined; open?: boolean }) {
  return (
    <div>
      <dt>to {name}</dt>
      <dd className={open ? "faint" : ""}>{duration(ms)}</dd>
    </div>
  );
}

/** What is known besides the times, the service's own words last. */
function factsOf({ arrived, bytes: size, end }: Run): string {
  const read = `${count(arrived)} rows, ${bytes(size)}`;
  if (!end) return read;
  return `${read} · ${duration(end.elapsedMs)} in Headgate, ${duration(end.waitedMs)} of it at the gate · ${end.connection}`;
}

/** The time until the first row, and from it to the close. */
export function Bar({ run, longestMs }: { run: Run; longestMs: number }) {
  const { waiting, arriving } = barOf(run, longestMs);
  return (
    <div className="gallery-time" aria-hidden="true">
      <i className="waiting" style={{ width: `${waiting}%` }} />
      <i className="arriving" style={{ width: `${arriving}%` }} />
    </div>
  );
}
