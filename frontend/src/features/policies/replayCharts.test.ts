import { expect, it } from "vitest";
import type { ReplayOutcome } from "@/api/types";
import { sentenceAt } from "@/charts/xy";
import { replayCharts } from "./replayCharts";

const second = [
  {
    ...{ actualWaitP99Ms: 4, baselineWaitP99Ms: 5, waitP99Ms: 30 },
    ...{ actualMeanMs: 1, baselineMeanMs: 1, meanMs: 2 },
    ...{ actualP99Ms: 8, baselineP99Ms: 9, p99Ms: 12 },
  },
  {
    ...{ actualWaitP99Ms: 6, baselineWaitP99Ms: 5, waitP99Ms: 77 },
    ...{ actualMeanMs: 1, baselineMeanMs: 1, meanMs: 3 },
    ...{ actualP99Ms: 8, baselineP99Ms: 9, p99Ms: 13 },
  },
] as unknown as ReplayOutcome["second"];
const judged = (...usable: string[]) =>
  ({
    misses: ["waits", "latency", "latency-p99"].map((figure) => ({
      figure,
      usable: usable.includes(figure),
      percent: usable.includes(figure) ? 3.6 : 257,
    })),
  }) as unknown as ReplayOutcome["fit"];
const all = judged("waits", "latency", "latency-p99");

it("draws waits and latencies of what happened, of the model with its error, and of the draft, with their values", () => {
  const [waits, latency] = replayCharts({ domain: "bank", second, fit: all }, 0, ["mean"]);
  expect(waits?.title).toBe("wait p99 in bank, second by second");
  expect(waits?.sentence).toBe("At most: actual 6 ms, model of the set in force (4 % off) 5 ms, draft 77 ms.");
  expect(waits && sentenceAt(waits, 2)).toContain("second 2: actual 6 ms, model of the set in force (4 % off) 5 ms");
  expect(latency?.lines.map(({ y }) => y)).toEqual([
    [1, 1],
    [1, 1],
    [2, 3],
  ]);
});

it("draws the statistics that caps are on", () => {
  const charts = replayCharts({ domain: "bank", second, fit: all }, 0, ["mean", "p99"]);
  expect(charts.map(({ y }) => y.title)).toEqual(["wait p99", "latency mean", "latency p99"]);
  expect(charts[2]?.lines.map(({ y }) => y[1])).toEqual([8, 9, 13]);
});

it("draws a draft paler, broken and named so where the model misses what happened, and only there", () => {
  const [waits, latency] = replayCharts({ domain: "bank", second, fit: judged("latency") }, 0, ["mean"]);
  const drawn = { name: "draft (cannot be used)", style: "dashed", paler: true };
  expect(waits?.lines[2]).toMatchObject(drawn);
  expect(waits?.lines[1]?.name).toBe("model of the set in force (257 % off)");
  expect(latency?.lines[2]).toMatchObject({ name: "draft", style: "line" });
  const few = { misses: [] } as unknown as ReplayOutcome["fit"]; // too few requests to tell
  const [unknown] = replayCharts({ domain: "bank", second, fit: few }, 0, ["mean"]);
  expect(unknown?.lines.map(({ name }) => name)).toEqual([
    "actual",
    "model of the set in force",
    "draft (cannot be used)",
  ]);
});

it("draws the seconds that count", () => {
  const [waits] = replayCharts({ domain: "bank", second, fit: all }, 1, ["mean"]);
  expect(waits?.lines.map(({ x, y }) => [x, y])).toEqual([
    [[2], [6]],
    [[2], [5]],
    [[2], [77]],
  ]);
  expect(replayCharts({ domain: "bank", second, fit: all }, 2, ["mean"])).toEqual([]);
});

it("names a draft that is no longer the one that is edited", () => {
  const [waits] = replayCharts({ domain: "bank", second, fit: all }, 0, ["mean"], "earlier draft");
  expect(waits?.lines[2]?.name).toBe("earlier draft");
});

it("draws nothing of a replay without a second", () => {
  expect(replayCharts({ domain: "bank", second: [], fit: all }, 0, ["mean"])).toEqual([]);
});
