import { expect, it } from "vitest";
import { capOf, capSpans, summary } from "./summary";

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
    spans.map(({ from, to, y, past }) => [
      new Date(from).getUTCMinutes(),
      to === Number.MAX_SAFE_INTEGER ? null : new Date(to).getUTCMinutes(),
      y,
      past,
    ]),
  ).toEqual([
    [1, 3, 30, true],
    [4, null, 20, false],
  ]);
});
