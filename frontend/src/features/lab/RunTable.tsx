import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { ExperimentRun } from "@/api/types";
import { age, stamp } from "@/format/format";
import { useZone } from "@/ui/preferences";
import { tookMs } from "./form";
import { RemoveRun } from "./RemoveRun";
import { Word } from "./Word";
import { STATES } from "./words";

/** So many are shown before all are asked for. */
const FEW = 5;

/** The runs of an experiment, newest first. Two that are done can be ticked and compared. */
export function RunTable({ experiment, runs }: { experiment: string; runs: readonly ExperimentRun[] }) {
  const zone = useZone();
  const navigate = useNavigate();
  const [all, setAll] = useState(false);
  const [ticked, setTicked] = useState<readonly string[]>([]);
  const done = runs.filter((run) => run.state === "done");
  // A third tick takes the place of the first. A deleted run counts no more.
  const two = ticked.filter((id) => done.some((run) => run.id === id)).slice(-2);
  const [first, second] = two.map(Number).sort((a, b) => a - b);
  return (
    <>
      <table className="cards lab-runs">
        <thead>
          <tr>
            <th>Run</th>
            <th>Started</th>
            <th>State</th>
            <th className="r">Took</th>
            <th>Form</th>
            <th>Values</th>
            <th className="r">Seed</th>
            <th>By</th>
            <th>
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {(all ? runs : runs.slice(0, FEW)).map((run) => (
            <tr key={run.id}>
              <td className="title">
                <span className="row lab-tick">
                  <input
                    type="checkbox"
                    aria-label={`Compare run ${run.id}`}
                    disabled={run.state !== "done"}
                    checked={two.includes(run.id)}
                    onChange={({ target }) =>
                      setTicked(target.checked ? [...two, run.id] : two.filter((id) => id !== run.id))
                    }
                  />
                  <Link to="/lab/runs/$id" params={{ id: run.id }}>
                    <b>Run {run.id}</b>
                  </Link>
                </span>
              </td>
              <td data-label="Started" className="whole">
                {stamp(run.startedAt, zone)}
              </td>
              <td data-label="State">
                <Word of={STATES[run.state]} />
              </td>
              <td data-label="Took" className="r">
                {age(tookMs(run))}
              </td>
              <td data-label="Form">{run.form}</td>
              <td data-label="Values" className="muted whole lab-values">
                {Object.entries(run.values)
                  .map(([name, value]) => `${name} ${value}`)
                  .join(", ")}
              </td>
              <td data-label="Seed" className="r">
                {run.seed}
              </td>
              <td data-label="By">{run.startedBy}</td>
              <td className="r whole">{run.state !== "running" && <RemoveRun run={run} small />}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="row wrap lab-under">
        {runs.length > FEW && (
          <button type="button" className="btn small" onClick={() => setAll(!all)} aria-expanded={all}>
            {all ? "Show the newest" : `Show all ${runs.length} runs`}
          </button>
        )}
        {done.length > 1 && (
          <>
            <button
              type="button"
              className="btn small"
              disabled={two.length < 2}
              onClick={() => void navigate({ to: "/lab/compare", search: { first, second } })}
            >
              Compare<span className="sr-only"> two runs of {experiment}</span>
            </button>
            {two.length < 2 && <span className="muted small">Tick two runs that are done to compare them.</span>}
          </>
        )}
      </p>
    </>
  );
}
