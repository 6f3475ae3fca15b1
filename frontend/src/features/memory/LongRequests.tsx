import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { longRequestsQuery, useCancelLongRequest } from "@/api/longRequests";
import type { LongWork } from "@/api/types";
import { bytes, count, duration, NONE } from "@/format/format";
import { Confirm, type Question } from "@/ui/Confirm";
import { Empty } from "@/ui/Empty";
import { Fault, Panel } from "@/ui/parts";
import { Changes } from "@/ui/role";

const WORDS: Record<LongWork["kind"], string> = {
  replay: "Replay",
  plan: "Plan",
  diff: "Comparison",
  apply: "Use",
  adopt: "Adoption",
  export: "Export",
  history: "Long history",
};

/** "Plan of domains/shop". */
const called = ({ kind, of }: LongWork) => `${WORDS[kind]} of ${of === "" ? "everything" : of}`;

function questionOf(work: LongWork): Question {
  return {
    title: `Cancel: ${called(work)}`,
    lines: [
      `${work.author} has waited ${duration(work.elapsedMs)} for it, and is told that it was cancelled.`,
      "Its work changes nothing, so nothing is undone. It can be asked for again.",
    ],
    action: "Cancel this work",
    keep: "Let it go on",
  };
}

/** The requests that take long or wait to, each with its progress, and a button that cancels it. */
export function LongRequests() {
  const query = useQuery(longRequestsQuery);
  const cancel = useCancelLongRequest();
  const [asked, setAsked] = useState<LongWork | null>(null);
  const question = useMemo(() => (asked ? questionOf(asked) : null), [asked]);
  const items = query.data?.items ?? [];
  const close = () => {
    cancel.reset();
    setAsked(null);
  };
  return (
    <Panel title="Long requests" aside={items.length > 0 && <span className="muted">{count(items.length)} now</span>}>
      {query.isError && <Fault error={query.error} retry={() => void query.refetch()} />}
      {items.length > 0 && (
        <div className="scroll-x">
          <table className="cards">
            <thead>
              <tr>
                <th>Work</th>
                <th>For</th>
                <th>State</th>
                <th className="r">Progress</th>
                <th className="r">Since</th>
                <th className="r">Memory</th>
                <th className="r">
                  <span className="sr-only">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {items.map((work) => (
                <tr key={work.id}>
                  <td className="title">{called(work)}</td>
                  <td data-label="For">{work.author}</td>
                  <td data-label="State">
                    <span className={`chip ${work.state === "waiting" ? "warn" : ""}`}>{work.state}</span>
                  </td>
                  <td className="r" data-label="Progress">
                    <Done work={work} />
                  </td>
                  <td className="r" data-label="Since">
                    {duration(work.elapsedMs)}
                  </td>
                  <td className="r" data-label="Memory">
                    {bytes(work.memoryBytes)}
                  </td>
                  <td className="r whole">
                    <Changes>
                      <button
                        type="button"
                        className="btn small"
                        disabled={!work.cancellable || work.state === "ending"}
                        aria-label={`Cancel: ${called(work)}…`}
                        onClick={() => setAsked(work)}
                      >
                        Cancel…
                      </button>
                    </Changes>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {items.length === 0 && <Empty of={query}>Nothing takes long now.</Empty>}
      <Confirm
        question={question}
        busy={cancel.isPending}
        error={cancel.error}
        onConfirm={() => asked && cancel.mutate(asked.id, { onSuccess: close })}
        onClose={close}
      />
    </Panel>
  );
}

function Done({ work }: { work: LongWork }) {
  if (work.progress === null) return NONE;
  return (
    <>
      <progress value={work.progress} max={1} aria-label={`Progress: ${called(work)}`} />{" "}
      {Math.floor(100 * work.progress)} %
    </>
  );
}
