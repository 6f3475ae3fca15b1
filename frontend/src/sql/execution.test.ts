import { describe, expect, it, vi } from "vitest";
import { Problem } from "@/api/problem";
import { type Execution, execute, MOST_ROWS } from "./execution";

const HEAD = '{"columns":[{"name":"a","type":"int4"}]}\n';
const END =
  '{"done":{"rows":2,"command":"SELECT"}}\n{"end":{"rows":2,"elapsedMs":1,"waitedMs":0,"connection":"bank-1"}}\n';

/** Executes against an answer of these texts, and returns what is told last. */
function ending(texts: string[], broken = false): Promise<Execution> {
  const left = texts.map((text) => new TextEncoder().encode(text));
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = left.shift();
      if (next) controller.enqueue(next);
      else if (broken) controller.error(new TypeError("network error"));
      else controller.close();
    },
  });
  return ended((tell) => execute(() => Promise.resolve(body), tell));
}

function ended(begin: (tell: (now: Execution) => void) => void): Promise<Execution> {
  return new Promise((resolve) => begin((now) => now.outcome !== "running" && resolve(now)));
}

describe("an execution", () => {
  it("is complete with its last record only", async () => {
    expect(await ending([`${HEAD}[1]\n[2]\n`, END])).toMatchObject({
      outcome: "complete",
      end: { connection: "bank-1" },
      results: [{ count: 2, rows: [["1"], ["2"]], done: { command: "SELECT" } }],
    });
    expect(await ending([`${HEAD}[1]\n`])).toMatchObject({ outcome: "cut", results: [{ count: 1 }], end: null });
    expect(await ending([`${HEAD}[1]\n`], true)).toMatchObject({ outcome: "cut", results: [{ count: 1 }] });
    expect(await ending([`${HEAD}[1\n`, END])).toMatchObject({ outcome: "cut" });
  });

  it("counts the bytes, and tells when the first of them and the first row were there", async () => {
    const now = await ending([`${HEAD}[1]\n[2]\n`, END]);
    expect(now.bytes).toBe(new TextEncoder().encode(`${HEAD}[1]\n[2]\n${END}`).length);
    const times = [0, now.firstByteMs, now.firstRowMs, now.elapsedMs] as number[];
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(await ending([], true)).toMatchObject({ outcome: "cut", bytes: 0, firstRowMs: null });
  });

  it("fails with an error's record, though the connection breaks off then", async () => {
    const error = { code: "22012", message: "division by zero" };
    const now = await ending([`${HEAD}[1]\n{"error":${JSON.stringify(error)}}\n`], true);
    expect(now).toMatchObject({ outcome: "failed", results: [{ count: 1, error }] });
  });

  it("of several statements fails if one does, and keeps the answers of the others", async () => {
    const text = `{"error":{"code":"42P01","message":"no such table"},"statement":0}
{"columns":[{"name":"a","type":"int4"}],"statement":1}
[7]
{"done":{"rows":1,"command":"SELECT"},"statement":1}
{"end":{"rows":1,"elapsedMs":1,"waitedMs":0,"connection":"bank-1"}}
`;
    const now = await ending([text]);
    expect(now.outcome).toBe("failed");
    expect(now.results.map(({ rows, error }) => [rows, error?.code])).toEqual([
      [[], "42P01"],
      [[["7"]], undefined],
    ]);
  });

  it("of several statements is cut where rows are missing, though one has failed", async () => {
    const failed = '{"error":{"code":"42P01","message":"no such table"},"statement":0}\n';
    const rows = '{"columns":[{"name":"a","type":"int4"}],"statement":1}\n[7]\n';
    for (const broken of [true, false]) {
      const now = await ending([failed, rows], broken);
      expect(now).toMatchObject({ outcome: "cut", results: [{ error: { code: "42P01" } }, { count: 1 }] });
      expect(await ending([failed], broken), "its error ends one statement alone").toMatchObject({ outcome: "cut" });
    }
  });

  it("is complete with its last record, though the connection breaks off then", async () => {
    expect(await ending([`${HEAD}[1]\n[2]\n`, END], true)).toMatchObject({ outcome: "complete" });
  });

  it("tells a failed statement from a refused request", async () => {
    const refusing = (body: object, status: number) =>
      ended((tell) => execute(() => Promise.reject(new Problem(body, status)), tell));
    const sql = { code: "42601", message: "syntax error", position: 3 };
    expect(await refusing({ detail: "syntax error", sql }, 400)).toMatchObject({
      outcome: "failed",
      error: null,
      results: [{ error: sql }],
    });
    const refused = await refusing({ detail: "No connection within 5 s. ; latency-cap: holds 7" }, 503);
    expect(refused).toMatchObject({ outcome: "refused", results: [] });
    expect(refused.error).toMatchObject({ message: "No connection within 5 s. ; latency-cap: holds 7" });
    expect(await refusing({ title: "Not yours" }, 403)).toMatchObject({ outcome: "refused" });
    expect(await refusing({ title: "The request is not valid" }, 422)).toMatchObject({ outcome: "failed" });
  });

  it("tells rows as they arrive, and is cancelled by aborting the request", async () => {
    vi.useFakeTimers();
    try {
      const told: Execution[] = [];
      let aborted = false;
      const cancel = execute(
        (signal) =>
          Promise.resolve(
            new ReadableStream<Uint8Array>({
              start(controller) {
                controller.enqueue(new TextEncoder().encode(`${HEAD}[1]\n`));
                signal.addEventListener("abort", () => {
                  aborted = true;
                  controller.error(new DOMException("aborted", "AbortError"));
                });
              },
            }),
          ),
        (now) => told.push(now),
      );
      await vi.advanceTimersByTimeAsync(1_000);
      expect(told.map(({ outcome, results }) => [outcome, results[0]?.count])).toEqual([
        ["running", undefined],
        ["running", 1],
      ]);
      cancel();
      await vi.advanceTimersByTimeAsync(1_000);
      expect(aborted).toBe(true);
      expect(told.at(-1)).toMatchObject({ outcome: "cancelled", results: [{ count: 1 }] });
    } finally {
      vi.useRealTimers();
    }
  });

  it("counts the rows that it does not keep", async () => {
    const now = await ending([HEAD, "[1]\n".repeat(MOST_ROWS + 3), END]);
    expect(now.results[0]?.count).toBe(MOST_ROWS + 3);
    expect(now.results[0]?.rows).toHaveLength(MOST_ROWS);
  });
});
