import type { ErrorComponentProps } from "@tanstack/react-router";
import { CodeMissing } from "@/ui/loadCode";
import { Reload } from "./Reload";

/** Stands where a page failed. The shell around it stays. */
export function PageFault({ error, reset }: ErrorComponentProps) {
  if (error instanceof CodeMissing) return <Reload />;
  return (
    <div className="panel empty" role="alert">
      <h1>This page failed</h1>
      <p className="mono">{error instanceof Error ? error.message : String(error)}</p>
      <p>
        <button type="button" className="btn" onClick={reset}>
          Try again
        </button>
      </p>
    </div>
  );
}
