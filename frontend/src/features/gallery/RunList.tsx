import { count, duration } from "@/format/format";
import { OUTCOMES } from "@/ui/OutcomeChip";
import { Panel } from "@/ui/parts";
import { type Run, speedOf } from "./runs";
import { Bar } from "./Times";

/** The last runs of this visit, on one scale. */
export function RunList({ runs }: { runs: readonly Run[] }) {
  const longestMs = Math.max(0, ...runs.map((run) => run.closeMs));
  return (
    <Panel title="Last runs" className="gallery-runs">
      {runs.length === 0 ? (
        <p className="empty">Runs of this visit are listed here.</p>
      ) : (
        <>
          <table>
            <thead>
              <tr>
                <th scope="col">Run</th>
                <th scope="col">First byte</th>
                <th scope="col">First row</th>
                <th scope="col">Close</th>
              </tr>
            </thead>
            <tbody>
              {runs.map((run) => (
                <tr key={run.startedAt}>
                  <th scope="row">
                    {run.kind}, {count(run.rows)}
                    <span className="faint">{saidOf(run)}</span>
                    <Bar run={run} longestMs={longestMs} />
                  </th>
                  <td>{duration(run.firstByteMs)}</td>
                  <td>{duration(run.firstRowMs)}</td>
                  <td>{duration(run.closeMs)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <p className="muted small gallery-legend">
            <i className="waiting" /> until the first row <i className="arriving" /> while rows arrive
          </p>
        </>
      )}
    </Panel>
  );
}

function saidOf(run: Run): string {
  return run.outcome === "complete" ? speedOf(run) : `${speedOf(run)}, ${OUTCOMES[run.outcome].label}`;
}
