import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useRuns, useStartRun } from "@/api/experiments";
import { Problem, sentence } from "@/api/problem";
import type { Experiment, ExperimentRun } from "@/api/types";
import { Confirm, type Question } from "@/ui/Confirm";
import { TextField } from "@/ui/Field";
import { Seg } from "@/ui/parts";
import {
  type Draft,
  draftLike,
  EMPTY,
  expectation,
  type Form,
  faultOf,
  formValue,
  hasFault,
  rangeOf,
  requestOf,
  seedFault,
  textOf,
} from "./form";

const FORMS: readonly (readonly [Form, string])[] = [
  ["quick", "Quick"],
  ["full", "Full"],
];

type Props = { experiment: Experiment; like: ExperimentRun | undefined; onClose: () => void };

/** The form of a run, drawn from the experiment's parameters. It asks before it starts. */
export function StartRun({ experiment, like, onClose }: Props) {
  const runs = useRuns();
  const start = useStartRun(experiment.name);
  const navigate = useNavigate();
  const [draft, setDraft] = useState<Draft>(like ? draftLike(experiment, like) : EMPTY);
  const [asked, setAsked] = useState(false);
  const running = runs.data?.find((run) => run.state === "running");
  const problem = start.error instanceof Problem ? start.error : null;
  const refused = (pointer: string) => problem?.at(pointer);
  const atField = problem?.violations.some(({ pointer }) => pointer === "/seed" || pointer?.startsWith("/values/"));

  const change = (next: Partial<Draft>) => {
    start.reset();
    setDraft((old) => ({ ...old, ...next }));
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    start.reset();
    if (!running && !hasFault(experiment, draft)) setAsked(true);
  };
  const send = () =>
    start.mutate(requestOf(experiment, draft), {
      onSuccess: (run) => void navigate({ to: "/lab/runs/$id", params: { id: run.id } }),
      onError: () => setAsked(false),
    });

  const question: Question = {
    title: `Start ${experiment.name}?`,
    lines: [
      `The run uses the whole machine ${expectation(experiment, draft, runs.data ?? [])}.`,
      "Meanwhile the figures of all domains suffer: latencies rise, and policies may act on them.",
      "It measures on a PostgreSQL of its own and touches no database of yours.",
    ],
    undo: "It can be cancelled at any time.",
    action: "Start the run",
  };
  return (
    <>
      <form className="form lab-form" onSubmit={submit} noValidate>
        <p>{experiment.question}</p>
        {running && (
          <p className="note warn" role="status">
            Run {running.id} of {running.experiment} is in progress. Only one can run at a time, because it uses the
            whole machine.
          </p>
        )}
        {start.isError && !atField && (
          <p className="note bad" role="alert">
            {sentence(start.error)}
          </p>
        )}
        <p className="row wrap">
          <Seg label="Form" value={draft.form} options={FORMS} onChange={(form) => change({ form })} first />
          <span className="muted">
            {draft.form === "quick" ? "Less than two minutes." : "As long as good figures need."}
          </span>
        </p>
        {experiment.parameters.map((parameter) => {
          const { name, description } = parameter;
          const text = textOf(parameter, draft);
          const usual = String(formValue(parameter, draft.form));
          return (
            <TextField
              key={name}
              label={name}
              inputMode="decimal"
              autoComplete="off"
              value={text}
              was={text === usual ? undefined : usual}
              help={`${description}: ${rangeOf(parameter)}`}
              fault={faultOf(parameter, text) ?? refused(`/values/${name}`)}
              onChange={({ target }) => change({ values: { ...draft.values, [name]: target.value } })}
            />
          );
        })}
        <TextField
          label="seed"
          inputMode="numeric"
          autoComplete="off"
          placeholder="drawn"
          value={draft.seed}
          help="Of everything random. A run with the seed of another one repeats its random choices."
          fault={seedFault(draft.seed) ?? refused("/seed")}
          onChange={({ target }) => change({ seed: target.value })}
        />
        <p className="row lab-deeds">
          <button type="submit" className="btn pri" disabled={running !== undefined || hasFault(experiment, draft)}>
            Start…
          </button>
          <button type="button" className="btn" onClick={onClose}>
            Close
          </button>
        </p>
      </form>
      <Confirm
        question={asked ? question : null}
        busy={start.isPending}
        onConfirm={send}
        onClose={() => setAsked(false)}
      />
    </>
  );
}
