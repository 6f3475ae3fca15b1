/** The form of a run: its texts, their faults, and the request. */
import type { Experiment, ExperimentParameter, ExperimentRun, ExperimentRunCreate } from "@/api/types";
import { age, count } from "@/format/format";

export type Form = NonNullable<ExperimentRunCreate["form"]>;

/** What somebody has written. Parameters that are left alone have the form's values. */
export type Draft = { form: Form; values: Readonly<Record<string, string>>; seed: string };

export const EMPTY: Draft = { form: "quick", values: {}, seed: "" };

/** A draft that repeats a run. */
export function draftLike(
  { parameters }: Pick<Experiment, "parameters">,
  { form, values, seed }: Pick<ExperimentRun, "form" | "values" | "seed">,
): Draft {
  return {
    form,
    values: Object.fromEntries(
      parameters
        .filter((parameter) => (values[parameter.name] ?? formValue(parameter, form)) !== formValue(parameter, form))
        .map(({ name }) => [name, String(values[name])]),
    ),
    seed: String(seed),
  };
}

export const formValue = (parameter: ExperimentParameter, form: Form) =>
  form === "quick" ? parameter.quick : parameter.full;

export const textOf = (parameter: ExperimentParameter, { form, values }: Draft) =>
  values[parameter.name] ?? String(formValue(parameter, form));

/** "4 to 50", "1 to 120 s" */
export const rangeOf = ({ least, most, unit }: ExperimentParameter) =>
  `${least} to ${most}${unit === "" ? "" : ` ${unit}`}`;

export function faultOf(parameter: ExperimentParameter, text: string): string | undefined {
  const value = numberOf(text);
  if (value === null || (parameter.whole && !Number.isInteger(value)))
    return `must be a ${parameter.whole ? "whole " : ""}number, ${rangeOf(parameter)}`;
  return value >= parameter.least && value <= parameter.most ? undefined : `must be ${rangeOf(parameter)}`;
}

export function seedFault(seed: string): string | undefined {
  if (seed.trim() === "") return undefined;
  return Number.isSafeInteger(numberOf(seed)) ? undefined : "must be a whole number, or empty";
}

/** Null unless it is a finite number. */
function numberOf(text: string): number | null {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : null;
}

export function hasFault(experiment: Pick<Experiment, "parameters">, draft: Draft): boolean {
  return (
    seedFault(draft.seed) !== undefined ||
    experiment.parameters.some((parameter) => faultOf(parameter, textOf(parameter, draft)) !== undefined)
  );
}

/** The request: of the values, those that differ from the form's. */
export function requestOf({ parameters }: Pick<Experiment, "parameters">, draft: Draft): ExperimentRunCreate {
  const seed = numberOf(draft.seed);
  return { form: draft.form, values: changedOf(parameters, draft), ...(seed === null ? {} : { seed }) };
}

function changedOf(parameters: readonly ExperimentParameter[], draft: Draft): Record<string, number> {
  return Object.fromEntries(
    parameters
      .map((parameter) => [parameter, Number(textOf(parameter, draft))] as const)
      .filter(([parameter, value]) => value !== formValue(parameter, draft.form))
      .map(([parameter, value]) => [parameter.name, value]),
  );
}

type Ended = Pick<ExperimentRun, "experiment" | "form" | "values" | "state" | "startedAt" | "endedAt">;

/** How long a run with these values will take, as far as earlier runs tell. */
export function expectation(
  experiment: Pick<Experiment, "name" | "parameters">,
  draft: Draft,
  runs: readonly Ended[],
): string {
  const same = runs.find(
    (run) =>
      run.experiment === experiment.name &&
      run.state === "done" &&
      experiment.parameters.every((p) => run.values[p.name] === Number(textOf(p, draft))),
  );
  const took = same && tookMs(same);
  if (took) return `for about ${minutes(took)}: so long the last run with these values took`;
  if (Object.keys(changedOf(experiment.parameters, draft)).length > 0)
    return "for minutes, depending on the values: no run with these values is known";
  return draft.form === "quick" ? "for about 2 minutes" : "for many minutes, perhaps an hour: no full run is known";
}

function minutes(ms: number): string {
  if (ms < 90_000) return age(ms);
  return `${count(Math.round(ms / 60_000))} minutes`;
}

/** How long a run took; null while it runs. */
export const tookMs = ({ startedAt, endedAt }: Pick<ExperimentRun, "startedAt" | "endedAt">) =>
  endedAt === null ? null : Date.parse(endedAt) - Date.parse(startedAt);
