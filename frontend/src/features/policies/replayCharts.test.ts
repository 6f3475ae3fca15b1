import { expect, it } from "vitest";
import type { ReplayOutcome } from "@/api/types";
import { sentenceAt } from "@/charts/xy";
import { replayCharts } from "./replayCharts";

const second = [
  { actualWaitP99Ms: 4, baselineWaitP99Ms: 5, waitP99Ms: 30, actualMeanMs: 1, baselineMeanMs: 1, meanMs: 2 },
  { actualWaitP99Ms: 6, baselineWaitP99Ms: 5, waitP99Ms: 77, actualMeanMs: 1, baselineMeanMs: 1, meanMs: 3 },
] as unknown as ReplayOutcome["second"];

it("draws waits and latencies of what happened, of the model and of the draft, with their values", () => {
  const [waits, latency] = replayCharts({ domain: "bank", second });
  expect(waits?.title).toBe("wait p99 in bank, second by second");
  expect(waits?.sentence).toBe("At most: actual 6 ms, model of the set in force 5 ms, draft 77 ms.");
  expect(waits && sentenceAt(waits, 2)).toBe("second 2: actual 6 ms, model of the set in force 5 ms, draft 77 ms");
  expect(latency?.lines.map(({ y }) => y)).toEqual([
    [1, 1],
    [1, 1],
    [2, 3],
  ]);
});

it("draws nothing of a replay without a second", () => {
  expect(replayCharts({ domain: "bank", second: [] })).toEqual([]);
});
