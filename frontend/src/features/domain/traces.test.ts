import { expect, it } from "vitest";
import type { Decision, ReplayResult, ShadowSet } from "@/api/types";
import { predictedLatency, predictedSize, shadowTrace } from "./traces";

const NOON = Date.parse("2026-11-23T12:00:00Z");

const miss = (figure: string, usable: boolean) => ({
  figure,
  usable,
  actual: 1,
  modelled: 1,
  percent: usable ? 2 : 50,
});
const replay = (misses: object[]) =>
  ({
    from: "2026-11-23T12:00:00Z",
    seconds: 4,
    settlingSeconds: 2,
    domains: [
      {
        domain: "bank",
        fit: { misses },
        second: [9, 9, 3, 4].map((ms, i) => ({
          ...{ meanMs: ms, baselineMeanMs: ms - 1, p99Ms: 10 * ms, baselineP99Ms: 10 * ms + 1 },
          ...{ size: i, baselineSize: i + 1 },
        })),
      },
    ],
  }) as unknown as ReplayResult;

const line = (y: number, next: number) => [
  { x: NOON + 3_000, y },
  { x: NOON + 4_000, y: next },
];

it("draws what is predicted where it counts, and what the model makes of the set in force with its error", () => {
  expect(predictedLatency(replay([miss("latency", true)]), ["mean"])).toEqual([
    {
      label: "model of the set in force (2 % off), mean",
      end: "model, 2 % off",
      finer: true,
      color: "--c3",
      points: line(2, 3),
    },
    { label: "predicted mean", color: "--c3", points: line(3, 4) },
  ]);
});

it("predicts the statistic that a cap is on, each by its own error", () => {
  const prediction = replay([miss("latency", true), miss("latency-p99", true)]);
  const named = (statistics: readonly ("mean" | "p95" | "p99")[], of = prediction) =>
    predictedLatency(of, statistics)
      .filter(({ finer }) => !finer)
      .map(({ label }) => label);
  expect(named(["p99"])).toEqual(["predicted p99"]);
  expect(predictedLatency(prediction, ["p99"])[1]).toMatchObject({ color: "--c2", points: line(30, 40) });
  expect(named(["mean", "p95", "p99"])).toEqual(["predicted mean", "predicted p99"]);
  expect(named(["mean", "p99"], replay([miss("latency", true), miss("latency-p99", false)]))).toEqual([
    "predicted mean",
  ]);
});

it("draws nothing where the model misses what happened, or nothing is predicted", () => {
  const prediction = replay([miss("latency", false), miss("connections", true)]);
  expect(predictedLatency(prediction, ["mean"])).toEqual([]);
  expect(predictedSize(prediction).map(({ label }) => label)).toEqual([
    "model of the set in force (2 % off), open",
    "predicted open",
  ]);
  expect(predictedLatency(replay([]), ["mean"])).toEqual([]);
  expect(predictedLatency(null, ["mean"])).toEqual([]);
});

const shadow = (ceiling: number) =>
  ({ createdAt: "2026-11-23T12:00:00Z", shadow: { floor: 1, ceiling } }) as unknown as ShadowSet;
const decision = (second: number, ceiling: number | null) =>
  ({ time: new Date(NOON + 1_000 * second).toISOString(), after: { ceiling } }) as unknown as Decision;

it("follows the shadow set's ceiling, as far as it is known", () => {
  const decisions = [decision(20, null), decision(10, 7), decision(-5, 3)];
  const [trace] = shadowTrace(shadow(6), decisions, 40, NOON + 60_000, true);
  expect(trace?.end).toBe("shadow 6");
  expect(trace?.points.map(({ x, y }) => [(x - NOON) / 1_000, y])).toEqual([
    [10, 7],
    [20, 40],
    [60, 6],
  ]);
  const [past] = shadowTrace(shadow(6), decisions, 40, NOON + 30_000, false);
  expect(past?.points.at(-1)).toEqual({ x: NOON + 30_000, y: 40 });
});

it("draws no shadow without a shadow set", () => {
  expect(shadowTrace(null, [], 40, NOON, true)).toEqual([]);
  expect(shadowTrace(shadow(6), [], 40, NOON, false)).toEqual([]);
});
