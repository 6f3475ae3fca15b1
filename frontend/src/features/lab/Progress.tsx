import type { ExperimentRun } from "@/api/types";

/** How far a run is, and what it measures now. */
export function Progress({ run: { id, progress, doing } }: { run: ExperimentRun }) {
  return (
    <div className="lab-progress">
      <progress aria-label={`Progress of run ${id}`} value={progress} max={1} />
      <span className="lab-share">{Math.floor(progress * 100)} %</span>
      <span className="muted" role="status">
        {doing ?? "It begins."}
      </span>
    </div>
  );
}
