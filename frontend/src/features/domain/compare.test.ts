import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { LIVE } from "@/range/range";
import { beforeOf, carried, comparedText, compareSearch, differences, inForce, shiftOf, unevenness } from "./compare";

const NOON = Date.UTC(2026, 10, 23, 12);
const HOUR = 3_600_000;
const fixed = { kind: "fixed", from: NOON - HOUR, to: NOON } as const;

const total = {
  from: "2026-11-23T11:00:00Z",
  to: "2026-11-23T12:00:00Z",
  measuredMs: HOUR,
  requests: 1000,
  errors: 0,
  refused: 4,
  arrivals: 1000,
  inUse: 1,
  waiting: 0,
  meanMs: 4,
  minMs: 1,
  p50Ms: 3,
  p95Ms: 9,
  p99Ms: 20,
  maxMs: 80,
  waitP50Ms: 0,
  waitP99Ms: 0.5,
  waitMaxMs: 2,
  perSecond: 0.3,
};

describe("the earlier range", () => {
  it("has a name and a distance for the charts, where there is one", () => {
    expect(beforeOf("before", fixed, "utc")).toEqual({ name: "the range before", backMs: HOUR });
    expect(beforeOf("before", LIVE, "utc")).toBeNull();
    expect(beforeOf(undefined, fixed, "utc")).toBeNull();
  });

  it("lies as far back as the address says", () => {
    expect(shiftOf(undefined, fixed)).toBeNull();
    expect(shiftOf("before", fixed)).toBe(HOUR);
    expect(shiftOf("day", fixed)).toBe(24 * HOUR);
    expect(shiftOf("week", { kind: "last", preset: "6h" })).toBe(7 * 24 * HOUR);
    expect(shiftOf("2026-11-23T08:00:00Z", fixed)).toBe(3 * HOUR);
    expect(shiftOf("2026-11-23T11:30:00Z", fixed)).toBeNull();
    expect(shiftOf("2026-11-23T08:00:00Z", { kind: "last", preset: "6h" })).toBeNull();
    expect(shiftOf("before", LIVE)).toBeNull();
  });

  it("stays as far away when another range is chosen", () => {
    const next = { kind: "fixed", from: NOON - HOUR / 2, to: NOON } as const;
    expect(carried("2026-11-23T08:00:00Z", fixed, next)).toBe("2026-11-23T08:30:00Z");
    expect(carried("2026-11-23T08:00:00Z", fixed, LIVE)).toBeUndefined();
    expect(carried("day", fixed, LIVE)).toBe("day");
    expect(carried(undefined, fixed, next)).toBeUndefined();
  });

  const REVISIONS = [
    { revision: 8, createdAt: "2026-11-23T10:30:00.400Z" },
    { revision: 7, createdAt: "2026-11-23T10:00:00.400Z" },
    { revision: 6, createdAt: "2026-11-20T10:00:00Z" },
    { revision: 0, createdAt: null as never },
  ];

  it("is the last part of a revision's time that is as long as the range", () => {
    expect(beforeOf("rev:6", fixed, "utc", REVISIONS)).toEqual({ name: "rev 6", backMs: 2 * HOUR, lengthMs: HOUR });
  });

  it("is all of a revision's time where that is shorter, and none of the range's", () => {
    const half = HOUR / 2 - 1_000; // from the first whole second on
    expect(beforeOf("rev:7", fixed, "utc", REVISIONS)).toEqual({ name: "rev 7", backMs: HOUR - 1_000, lengthMs: half });
    expect(beforeOf("rev:8", fixed, "utc", REVISIONS)).toMatchObject({ backMs: HOUR / 2 - 1_000, lengthMs: half });
    expect(inForce(7, REVISIONS, NOON)).toEqual({ from: NOON - 2 * HOUR + 1_000, to: NOON - 1.5 * HOUR });
  });

  it("is none where the revision was not in force before, is not known, or the range moves", () => {
    const early = { kind: "fixed", from: NOON - 2 * HOUR, to: NOON } as const;
    expect(beforeOf("rev:7", early, "utc", REVISIONS)).toBeNull();
    expect(beforeOf("rev:0", fixed, "utc", REVISIONS)).toBeNull();
    expect(beforeOf("rev:9", fixed, "utc", REVISIONS)).toBeNull();
    expect(beforeOf("rev:6", { kind: "last", preset: "1h" }, "utc", REVISIONS)).toBeNull();
    expect(carried("rev:6", fixed, early)).toBe("rev:6");
    expect(carried("rev:6", fixed, LIVE)).toBeUndefined();
  });

  it("is left out of the address where it makes no sense", () => {
    expect(
      ["before", "week", "rev:7", "2026-11-23T08:00:00Z"].map((text) => z.parse(compareSearch, text)),
    ).not.toContain(undefined);
    for (const bad of ["month", "rev:", "rev:x", "rev:-1", "toString", "2026-11-23", 7, ""])
      expect(z.parse(compareSearch, bad)).toBeUndefined();
  });

  it("has a name", () => {
    expect(comparedText("day", "utc")).toBe("a day before");
    expect(comparedText("2026-11-23T08:00:00Z", "utc")).toBe("from 2026-11-23 08:00:00");
  });
});

describe("differences", () => {
  const of = (name: string, then: object, now: object) =>
    differences({ ...total, ...then }, { ...total, ...now }).find((row) => row.name === name);

  it("are told in units and in percent", () => {
    expect(of("statements", {}, { requests: 1100 })).toEqual({
      name: "statements",
      before: "1,000",
      now: "1,100",
      by: "+100",
      percent: "+10 %",
      worse: false,
    });
    expect(of("latency p99", {}, { p99Ms: 19.5 })).toMatchObject({ by: "−500 µs", percent: "−2.5 %", worse: false });
    expect(of("latency p99", {}, { p99Ms: 90 })).toMatchObject({ by: "+70 ms", percent: "× 4.5", worse: true });
    expect(of("latency mean", {}, {})).toMatchObject({ by: "0 ms", percent: "0 %", worse: false });
  });

  it("are worse from a twentieth on, where less is better", () => {
    expect(of("latency p95", { p95Ms: 100 }, { p95Ms: 104 })?.worse).toBe(false);
    expect(of("latency p95", { p95Ms: 100 }, { p95Ms: 106 })?.worse).toBe(true);
    expect(of("statements", {}, { requests: 9000 })?.worse).toBe(false);
  });

  it("compare counts as if as much had been measured then as now", () => {
    const then = { measuredMs: 0.6 * HOUR, errors: 30, refused: 0 };
    expect(of("errors", then, { errors: 50 })).toMatchObject({ before: "30", by: "0", percent: "0 %", worse: false });
    expect(of("errors", then, { errors: 60 })).toMatchObject({ by: "+10", percent: "+20 %", worse: true });
    expect(of("statements", { measuredMs: HOUR - 2_000, requests: 999 }, {})).toMatchObject({ by: "0", worse: false });
    expect(unevenness({ ...total, ...then }, total)).toBe("some");
    expect(unevenness({ ...total, measuredMs: HOUR - 2_000 }, total)).toBeNull();
  });

  it("call nothing worse, and compare no counts, if much more was measured of one", () => {
    const then = { measuredMs: 0.4 * HOUR, errors: 3 };
    expect(of("errors", then, { errors: 60 })).toMatchObject({ before: "3", now: "60", by: "–", worse: false });
    expect(of("latency p99", then, { p99Ms: 90 })).toMatchObject({ by: "+70 ms", worse: false });
    expect(of("errors", {}, { measuredMs: 0 })).toMatchObject({ worse: false, percent: "–" });
    expect(unevenness({ ...total, ...then }, total)).toBe("much");
  });

  it("say nothing of what was not measured, and no percent of nothing", () => {
    expect(of("latency p50", { p50Ms: null }, {})).toMatchObject({ before: "–", by: "–", percent: "–", worse: false });
    expect(of("errors", {}, { errors: 3 })).toMatchObject({ by: "+3", percent: "–", worse: true });
  });
});
