import { Problem } from "@/api/problem";
import type { SqlError } from "@/api/types";
import { type AnswerRecord, type Cell, type Column, type Done, type End, readRecords } from "./records";

/** How an execution stands. `cut`: the answer was broken off, and nobody knows what is missing. */
export type Outcome = "running" | "complete" | "failed" | "refused" | "cut" | "cancelled";

/** What one statement has answered so far. `rows` grows in place; `count` says how many rows have arrived. */
export type Result = { columns: Column[]; rows: Cell[][]; count: number; done?: Done; error?: SqlError };

export type Execution = {
  outcome: Outcome;
  results: Result[];
  startedAt: number;
  elapsedMs: number;
  /** When the answer began: its status and headers were there. */
  firstByteMs: number | null;
  firstRowMs: number | null;
  bytes: number;
  end: End | null;
  /** What went wrong outside of the statements: a refusal, or an answer that was not understood. */
  error: unknown;
};

/** The rows that the statements returned or changed, so far. */
export function rowsOf({ results }: Pick<Execution, "results">): number {
  return results.reduce((sum, { done, count }) => sum + (done?.rows ?? count), 0);
}

/** The page keeps so many rows, and so many characters of them. Further ones are counted only. */
export const MOST_ROWS = 100_000;
const MOST_CHARACTERS = 100_000_000;

const TELL_EVERY_MS = 60;

/**
 * Executes statements and tells, a few times a second, how that stands. Each call of `tell` gets a new object; the last
 * one has an outcome other than `running`.
 *
 * @param call sends the request; its signal is aborted by the function that this one returns
 * @param read reads the form of answer that the request asks for
 */
export function execute(
  call: (signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>,
  tell: (now: Execution) => void,
  read: (body: ReadableStream<Uint8Array>) => AsyncGenerator<AnswerRecord[]> = readRecords,
): () => void {
  const abort = new AbortController();
  const startedAt = performance.now();
  const elapsed = () => performance.now() - startedAt;
  const results: Result[] = [];
  let characters = 0;
  let bytes = 0;
  let firstByteMs: number | null = null;
  let firstRowMs: number | null = null;
  let end: End | null = null;
  let last: AnswerRecord | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const say = (outcome: Outcome, error: unknown = null) => {
    clearTimeout(timer);
    timer = undefined;
    const sofar = results.map((each) => ({ ...each }));
    tell({ outcome, results: sofar, startedAt, elapsedMs: elapsed(), firstByteMs, firstRowMs, bytes, end, error });
  };
  const saySoon = () => {
    timer ??= setTimeout(() => say("running"), TELL_EVERY_MS);
  };
  const result = (statement = Math.max(0, results.length - 1)): Result => {
    while (results.length <= statement) results.push({ columns: [], rows: [], count: 0 });
    return results[statement] as Result;
  };

  /** Of several statements, each for itself, an error ends its statement alone: only `end` says that nothing is missing. */
  const isWhole = () => end !== null || (last !== null && "error" in last && last.statement === undefined);

  const ended = (): Outcome => {
    if (!isWhole()) return "cut";
    return results.some((each) => each.error) ? "failed" : "complete";
  };

  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, to) {
      bytes += chunk.byteLength;
      to.enqueue(chunk);
    },
  });

  const run = async (): Promise<Outcome> => {
    const body = await call(abort.signal);
    firstByteMs = elapsed();
    for await (const records of read(body.pipeThrough(counter))) {
      for (const record of records) {
        last = record;
        if ("row" in record) {
          firstRowMs ??= elapsed();
          const into = result();
          into.count++;
          characters += record.size;
          if (into.rows.length < MOST_ROWS && characters <= MOST_CHARACTERS) into.rows.push(record.row);
        } else if ("columns" in record) result(record.statement).columns = record.columns;
        else if ("done" in record) result(record.statement).done = record.done;
        else if ("error" in record) result(record.statement).error = record.error;
        else end = record.end;
      }
      saySoon();
    }
    return ended();
  };

  say("running");
  run().then(
    (outcome) => say(outcome),
    (error: unknown) => {
      if (abort.signal.aborted) return say("cancelled");
      abort.abort(); // whatever else would still arrive
      if (error instanceof Problem && error.sql) {
        result().error = error.sql;
        say("failed");
      } else if (error instanceof Problem) say(REFUSALS.has(error.status) ? "refused" : "failed", error);
      else say(ended());
    },
  );
  return () => abort.abort();
}

/** The gate's refusals (429, 503), and a role's (403). */
const REFUSALS = new Set([403, 429, 503]);
