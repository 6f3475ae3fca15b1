import { describe, expect, it } from "vitest";
import { Problem } from "@/api/problem";
import type { Execution } from "@/sql/execution";
import { type Asked, barOf, comparison, type Run, runOf, withRun } from "./runs";

const ASKED: Asked = { kind: "streamed", rows: 86, bytesPerSecond: null };
const END = { rows: 86, elapsedMs: 30, waitedMs: 1, connection: "gallery-1" };

const execution = (more: Partial<Execution>): Execution => ({
  outcome: "complete",
  results: [{ columns: [], rows: [], count: 86 }],
  startedAt: 5,
  elapsedMs: 40,
  firstByteMs: 8,
  firstRowMs: 10,
  bytes: 1_300_000,
  end: END,
  error: null,
  ...more,
});

const run = (more: Partial<Run>): Run => ({ ...runOf(ASKED, execution({})), ...more });

describe("a run", () => {
  it("has the three times, what was asked for, and what the service said", () => {
    expect(runOf(ASKED, execution({}))).toEqual({
      ...ASKED,
      outcome: "complete",
      arrived: 86,
      firstByteMs: 8,
      firstRowMs: 10,
      closeMs: 40,
      bytes: 1_300_000,
      end: END,
      trouble: null,
      startedAt: 5,
    });
  });

  it("tells in words what went wrong", () => {
    const trouble = (more: Partial<Execution>) => runOf(ASKED, execution(more)).trouble;
    expect(trouble({ outcome: "cut", end: null })).toContain("broken off before its end record");
    expect(trouble({ outcome: "cut", end: null, firstByteMs: null })).toBe("The service did not answer.");
    const failure = { code: "42P01", message: 'relation "gallery.portraits" does not exist' };
    expect(trouble({ outcome: "failed", results: [{ columns: [], rows: [], count: 0, error: failure }] })).toBe(
      'relation "gallery.portraits" does not exist (SQLSTATE 42P01)',
    );
    const refusal = new Problem({ detail: "No connection within 5 s." }, 503);
    expect(trouble({ outcome: "refused", error: refusal })).toBe("No connection within 5 s.");
    expect(trouble({ outcome: "cancelled", end: null })).toBeNull();
  });

  it("is kept among the last ones, the newest first", () => {
    let runs: readonly Run[] = [];
    for (let startedAt = 1; startedAt <= 20; startedAt++) runs = withRun(runs, run({ startedAt }));
    expect(runs.map(({ startedAt }) => startedAt)).toEqual([20, 19, 18, 17, 16, 15]);
  });

  it("is drawn as the time until the first row and the time from it on, also while it is running", () => {
    expect(barOf(run({}), 80)).toEqual({ waiting: 12.5, arriving: 37.5 });
    expect(barOf(run({ firstRowMs: null, closeMs: 20 }), 80)).toEqual({ waiting: 25, arriving: 0 });
    expect(barOf(run({ firstRowMs: null, closeMs: 0 }), 0)).toEqual({ waiting: 0, arriving: 0 });
  });
});

describe("the comparison", () => {
  const whole = run({ kind: "whole", firstRowMs: 60 });
  it("is of the same rows at the same speed", () => {
    expect(comparison(run({}), whole)).toBe(
      "Of 86 rows the first came after 10 ms streamed and after 60 ms whole: 6 times sooner.",
    );
    expect(comparison(run({}), run({ kind: "whole", firstRowMs: 9 }))).toMatch(/whole\.$/);
    expect(comparison(run({ rows: 301 }), whole)).toBeNull();
    expect(comparison(run({ bytesPerSecond: 500_000 }), whole)).toBeNull();
    expect(comparison(run({ outcome: "cut" }), whole)).toBeNull();
    expect(comparison(undefined, whole)).toBeNull();
  });
});
