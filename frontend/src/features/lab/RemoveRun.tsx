import { useState } from "react";
import { useRemoveRun } from "@/api/experiments";
import type { ExperimentRun } from "@/api/types";
import { Confirm, type Question } from "@/ui/Confirm";
import { Changes } from "@/ui/role";

type Props = { run: ExperimentRun; small?: boolean; onRemoved?: () => void };

/** Cancels a run that is in progress, or deletes one that has ended. It asks first. */
export function RemoveRun({ run, small = false, onRemoved }: Props) {
  const remove = useRemoveRun(run.id);
  const [asked, setAsked] = useState<Question | null>(null);
  const running = run.state === "running";
  const close = () => setAsked(null);
  const confirm = () => {
    // The same request deletes a run that has ended: a cancel that comes too late must not.
    if (!running && !asked?.danger) return close();
    remove.mutate(undefined, {
      onSuccess: () => {
        close();
        onRemoved?.();
      },
    });
  };
  return (
    <Changes>
      <button
        type="button"
        className={`btn ${small ? "small" : ""} ${running ? "" : "danger"}`}
        onClick={() => {
          remove.reset();
          setAsked(running ? beforeCancel(run) : beforeDeletion(run));
        }}
      >
        {running ? "Cancel the run…" : "Delete…"}
        {small && <span className="sr-only"> run {run.id}</span>}
      </button>
      <Confirm question={asked} busy={remove.isPending} error={remove.error} onConfirm={confirm} onClose={close} />
    </Changes>
  );
}

function beforeCancel({ id, experiment }: ExperimentRun): Question {
  return {
    title: `Cancel run ${id}?`,
    lines: [`The run of ${experiment} ends at once. What it has measured so far is lost.`],
    action: "Cancel the run",
    keep: "Let it run",
  };
}

function beforeDeletion({ id, experiment, state }: ExperimentRun): Question {
  return {
    title: `Delete run ${id}?`,
    lines: [
      state === "done"
        ? `The report of this run of ${experiment} and its samples are deleted.`
        : `The entry of this run of ${experiment} is deleted. It has no report.`,
    ],
    undo: "This cannot be undone.",
    action: `Delete run ${id}`,
    danger: true,
  };
}
