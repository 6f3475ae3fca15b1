import { expect, it } from "vitest";
import { cappedStatistics, capSpans, capsOf, capsWithin, summary, summaryOf } from "./summary";

const capped = (createdAt: string, maxLatencyMs?: number) => ({
  createdAt,
  policySet: {
    policies: maxLatencyMs ? [{ plugin: "latency-cap", parameters: { maxLatencyMs, statistic: "p99" } }] : [],
  },
});

it("says a policy in a few words", () => {
  expect(summary("latency-cap", { maxLatencyMs: 20 })).toBe("latency-cap ≤ 20 ms");
  expect(summary("latency-cap", { maxLatencyMs: 30_000, statistic: "p99" })).toBe("latency-cap ≤ 30 s (p99)");
  expect(summary("min-max", { max: 20, min: 4 })).toBe("min-max 4…20");
  expect(summary("tiers", { guaranteed: 2, borrowLimit: 6 })).toBe("tiers: 2 + up to 6");
  expect(summary("tiers", { tier: "bronze", borrowLimit: 6 })).toBe("tiers: up to 6");
  expect(summary("tiers", { guaranteed: 8 })).toBe("tiers: 8 guaranteed");
  expect(summary("of-others", { a: 1 })).toBe("of-others");
});

const cap = (maxLatencyMs: number, statistic?: string) => ({
  plugin: "latency-cap",
  parameters: { maxLatencyMs, ...(statistic ? { statistic } : {}) },
});

it("says each use of a plugin that a set uses twice", () => {
  const set = { policies: [cap(20), { plugin: "min-max", parameters: { max: 8 } }, cap(100, "p99")] };
  expect(summaryOf(set, "latency-cap")).toBe("latency-cap ≤ 20 ms or latency-cap ≤ 100 ms (p99)");
  expect(summaryOf(set, "min-max")).toBe("min-max 0…8");
  expect(summaryOf(set, "tiers")).toBe("tiers");
});

it("has a cap of each statistic, and the lowest of several on one", () => {
  expect(capsOf({ policies: [cap(30), cap(20)] })).toEqual([{ maxLatencyMs: 20, statistic: "mean" }]);
  expect(capsOf({ policies: [cap(100, "p99"), cap(20, "mean"), cap(90, "p99")] })).toEqual([
    { maxLatencyMs: 90, statistic: "p99" },
    { maxLatencyMs: 20, statistic: "mean" },
  ]);
  expect(capsOf(undefined)).toEqual([]);
});

it("names the statistics that are capped, and the mean where none is", () => {
  expect(cappedStatistics(...capsOf({ policies: [cap(9, "p99"), cap(8, "p99"), cap(7)] }))).toEqual(["mean", "p99"]);
  expect(cappedStatistics()).toEqual(["mean"]);
});

it("draws the caps of two statistics beside each other, each for as long as it held", () => {
  const at = (minute: number, ...policies: ReturnType<typeof cap>[]) => ({
    createdAt: `2026-11-21T12:0${minute}:00Z`,
    policySet: { policies },
  });
  const spans = capSpans([at(3, cap(20), cap(2_500, "p99")), at(2, cap(30), cap(100, "p99")), at(1, cap(20))]);
  expect(spans.map(({ from, label }) => `${new Date(from).getUTCMinutes()} ${label}`)).toEqual([
    "1 cap 20 ms (mean)",
    "2 cap 30 ms (mean)",
    "3 cap 20 ms (mean)",
    "2 cap 100 ms (p99)",
    "3 cap 2.5 s (p99)",
  ]);
  expect(spans.filter(({ to }) => to === Number.MAX_SAFE_INTEGER).map(({ statistic }) => statistic)).toEqual([
    "mean",
    "p99",
  ]);
});

it("draws each revision's cap for as long as it held, and joins equal ones", () => {
  const t = (minute: number) => `2026-11-21T12:0${minute}:00Z`;
  const spans = capSpans([capped(t(4), 20), capped(t(3)), capped(t(2), 30), capped(t(1), 30)]);
  expect(
    spans.map(({ from, to, y, label }) => [
      new Date(from).getUTCMinutes(),
      to === Number.MAX_SAFE_INTEGER ? null : new Date(to).getUTCMinutes(),
      y,
      label,
    ]),
  ).toEqual([
    [1, 3, 30, "cap 30 ms (p99)"],
    [4, null, 20, "cap 20 ms (p99)"],
  ]);
  const [first] = spans;
  const from = first?.from ?? 0;
  expect(capsWithin(spans, from - 60_000, from + 60_000)).toEqual([first]);
  expect(capsWithin(spans, from + 120_000, from + 180_000)).toEqual([]);
});

it("names the database whose set has the cap", () => {
  const [span] = capSpans([capped("2026-11-21T12:01:00Z", 30)], "main");
  expect(span).toMatchObject({ name: "cap of main (p99)", label: "cap of main 30 ms (p99)" });
});
