import { expect, it } from "vitest";
import { capOf, capSpans, capsWithin, summary } from "./summary";

const capped = (createdAt: string, maxLatencyMs?: number) => ({
  createdAt,
  policySet: {
    policies: maxLatencyMs ? [{ plugin: "latency-cap", parameters: { maxLatencyMs, statistic: "p99" } }] : [],
  },
});

it("says a policy in a few words", () => {
  expect(summary("latency-cap", { maxLatencyMs: 20 })).toBe("latency-cap ≤ 20 ms");
  expect(summary("min-max", { max: 20, min: 4 })).toBe("min-max 4…20");
  expect(summary("tiers", { guaranteed: 2, borrowLimit: 6 })).toBe("tiers: 2 + up to 6");
  expect(summary("tiers", { tier: "bronze", borrowLimit: 6 })).toBe("tiers: up to 6");
  expect(summary("tiers", { guaranteed: 8 })).toBe("tiers: 8 guaranteed");
  expect(summary("of-others", { a: 1 })).toBe("of-others");
});

it("takes the lowest cap", () => {
  const policies = [30, 20].map((maxLatencyMs) => ({ plugin: "latency-cap", parameters: { maxLatencyMs } }));
  expect(capOf({ policies })).toEqual({ maxLatencyMs: 20, statistic: "mean" });
  expect(capOf(undefined)).toBeNull();
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
