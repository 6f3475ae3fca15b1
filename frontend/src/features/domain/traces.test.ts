import { expect, it } from "vitest";
import type { Decision, ReplayResult, ShadowSet } from "@/api/types";
import { predictedTrace, shadowTrace } from "./traces";

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
        second: [9, 9, 3, 4].map((meanMs, i) => ({ meanMs, size: i })),
      },
    ],
  }) as unknown as ReplayResult;

it("draws what is predicted where it counts", () => {
  expect(predictedTrace(replay([miss("latency", true)]), "latency")).toEqual([
    {
      label: "predicted mean",
      color: "--c3",
      points: [
        { x: NOON + 3_000, y: 3 },
        { x: NOON + 4_000, y: 4 },
      ],
    },
  ]);
});

it("draws nothing where the model misses what happened, or nothing is predicted", () => {
  const prediction = replay([miss("latency", false), miss("connections", true)]);
  expect(predictedTrace(prediction, "latency")).toEqual([]);
  expect(predictedTrace(prediction, "connections")).toHaveLength(1);
  expect(predictedTrace(replay([]), "latency")).toEqual([]);
  expect(predictedTrace(null, "latency")).toEqual([]);
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
