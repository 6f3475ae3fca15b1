import { useState } from "react";
import { useCancelRun, useRemoveRun } from "@/api/experiments";
import type { ExperimentRun } from "@/api/types";
import { Confirm, type Question } from "@/ui/Confirm";
import { Changes } from "@/ui/role";

type Props = { run: ExperimentRun; small?: boolean; onRemoved?: () => void };

/** Cancels a run that is in progress, or deletes one that has ended. It asks first. */
export function RemoveRun({ run, small = false, onRemoved }: Props) {
  const [asked, setAsked] = useState<Question | null>(null);
  const close = () => setAsked(null);
  const cancel = useCancelRun(run.id);
  const remove = useRemoveRun(run.id, () => onRemoved?.());
  const running = run.state === "running";
  /** What was asked about, which the run's state may have left behind. */
  const deed = asked?.danger ? remove : cancel;
  const confirm = () => deed.mutate(undefined, { onSuccess: close });
  return (
    <Changes>
      <button
        type="button"
        className={`btn ${small ? "small" : ""} ${running ? "" : "danger"}`}
        onClick={() => {
          cancel.reset();
          remove.reset();
          setAsked(running ? beforeCancel(run) : beforeDeletion(run));
        }}
      >
        {running ? "Cancel the run…" : "Delete…"}
        {small && <span className="sr-only"> run {run.id}</span>}
      </button>
      <Confirm question={asked} busy={deed.isPending} error={deed.error} onConfirm={confirm} onClose={close} />
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
