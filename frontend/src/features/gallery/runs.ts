import { sentence } from "@/api/problem";
import { count, duration } from "@/format/format";
import { type Execution, type Outcome, rowsOf } from "@/sql/execution";
import type { End } from "@/sql/records";

/** `streamed`: rows are shown as they arrive. `whole`: the answer is one JSON object. */
export type Kind = "streamed" | "whole";

/** What the reader asked for. `bytesPerSecond` is null at full speed. */
export type Asked = { kind: Kind; rows: number; bytesPerSecond: number | null };

/** The speeds of a reader, by their bytes a second. */
export const SPEEDS = [
  ["", "full speed"],
  ["2000000", "2 MB/s"],
  ["500000", "500 kB/s"],
] as const;

export function speedOf({ bytesPerSecond }: Asked): string {
  return SPEEDS.find(([speed]) => speed === String(bytesPerSecond ?? ""))?.[1] ?? "";
}

/** What one run has shown, without its rows. All times are measured in the browser, from before the request. */
export type Run = Asked & {
  outcome: Outcome;
  arrived: number;
  firstByteMs: number | null;
  firstRowMs: number | null;
  /** Until the last record was read; while it is running, until now. */
  closeMs: number;
  bytes: number;
  end: End | null;
  trouble: string | null;
  /** When it began. Each run has another one. */
  startedAt: number;
};

export function runOf(asked: Asked, execution: Execution): Run {
  const { outcome, firstByteMs, firstRowMs, elapsedMs, bytes, end, startedAt } = execution;
  return {
    ...asked,
    outcome,
    arrived: rowsOf(execution),
    firstByteMs,
    firstRowMs,
    closeMs: elapsedMs,
    bytes,
    end,
    trouble: troubleOf(execution),
    startedAt,
  };
}

/** What went wrong, in words. */
function troubleOf({ outcome, results, error, firstByteMs }: Execution): string | null {
  const failure = results.find((each) => each.error)?.error;
  if (failure) return `${failure.message} (SQLSTATE ${failure.code})`;
  if (error != null) return sentence(error);
  if (outcome !== "cut") return null;
  return firstByteMs === null
    ? "The service did not answer."
    : "The answer was broken off before its end record: rows are missing, and the reason did not arrive.";
}

const MOST_RUNS = 6;

/** The newest run first. */
export function withRun(runs: readonly Run[], added: Run): Run[] {
  return [added, ...runs].slice(0, MOST_RUNS);
}

/** How the two ways compare, if they were asked for the same and both are complete. */
export function comparison(streamed: Run | undefined, whole: Run | undefined): string | null {
  if (streamed?.outcome !== "complete" || whole?.outcome !== "complete") return null;
  if (streamed.rows !== whole.rows || streamed.bytesPerSecond !== whole.bytesPerSecond) return null;
  if (!streamed.firstRowMs || !whole.firstRowMs) return null;
  const sooner = whole.firstRowMs / streamed.firstRowMs;
  const said = `Of ${count(streamed.rows)} rows the first came after ${duration(streamed.firstRowMs)} streamed and after ${duration(whole.firstRowMs)} whole`;
  return sooner >= 1.5 ? `${said}: ${count(Math.round(sooner * 10) / 10)} times sooner.` : `${said}.`;
}

/** The parts of a run's bar, in percent of the time `longestMs`: until the first row, and from it to the close. */
export function barOf(run: Run, longestMs: number): { waiting: number; arriving: number } {
  const until = Math.min(run.firstRowMs ?? run.closeMs, run.closeMs);
  const share = (ms: number) => (longestMs > 0 ? (100 * ms) / longestMs : 0);
  return { waiting: share(until), arriving: share(run.closeMs - until) };
}
