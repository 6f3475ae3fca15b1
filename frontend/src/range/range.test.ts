import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import {
  between,
  eventsOf,
  faultBetween,
  fieldOf,
  frozen,
  isStreamed,
  LIVE,
  lengthOf,
  named,
  rangeOf,
  rangeOfPast,
  rangeSearch,
  said,
  searchOf,
  spanOf,
  timeOf,
  zoomedOut,
} from "./range";

const NOON = Date.UTC(2026, 10, 23, 12);
const MINUTE = 60_000;
const parse = (search: Record<string, unknown>) => rangeOf(z.parse(z.object(rangeSearch), search));

it("is the shortest that holds a part of the past that ends now", () => {
  expect(rangeOfPast({ lastMs: 15 * MINUTE })).toEqual({ kind: "last", preset: "15m" });
  expect(rangeOfPast({ lastMs: 16 * MINUTE })).toEqual({ kind: "last", preset: "1h" });
  expect(rangeOfPast({ from: NOON, to: NOON + MINUTE })).toEqual({ kind: "fixed", from: NOON, to: NOON + MINUTE });
});

it("says which typed instants make no range", () => {
  const year = 365 * 24 * 60 * MINUTE;
  expect(faultBetween(NOON, NOON)).toBe("The begin must be before the end.");
  expect(faultBetween(Number.NaN, NOON)).toBe("The begin must be before the end.");
  expect(faultBetween(NOON - 2 * year, NOON)).toBe("A range is at most 400 days long.");
  expect(faultBetween(NOON - year, NOON)).toBe("");
});

describe("the address", () => {
  it("tells a range, and a range tells the address", () => {
    for (const search of [
      {},
      { range: "15m" },
      { range: "30d" },
      { from: "2026-11-23T11:00:00Z", to: "2026-11-23T12:00:00Z" },
      { from: "2026-11-23T11:00:00.250Z", to: "2026-11-23T12:00:00Z" },
    ]) {
      const range = parse(search);
      expect(JSON.parse(JSON.stringify(searchOf(range)))).toEqual(search);
    }
    expect(parse({ from: "2026-11-23T13:00:00+02:00", to: "2026-11-23T12:00Z" })).toEqual({
      kind: "fixed",
      from: NOON - 60 * MINUTE,
      to: NOON,
    });
  });

  it("falls back to live where it makes no sense", () => {
    for (const search of [
      { range: "2h" },
      { range: 5 },
      { range: "live" },
      { from: "2026-11-23T11:00:00Z" },
      { to: "2026-11-23T11:00:00Z" },
      { from: "yesterday", to: "2026-11-23T12:00:00Z" },
      { from: "2026-11-23T12:00:00Z", to: "2026-11-23T11:00:00Z" },
      { from: "2026-11-23T12:00:00Z", to: "2026-11-23T12:00:00Z" },
      { from: "2026-13-45T12:00:00Z", to: "2026-11-23T12:00:00Z" },
      { from: "0001-01-01T00:00:00Z", to: "2026-11-23T12:00:00Z" },
      { from: 7, to: 8 },
    ])
      expect(parse(search), JSON.stringify(search)).toEqual(LIVE);
  });

  it("keeps the preset beside a range that makes no sense", () => {
    expect(parse({ range: "1h", from: "never", to: "2026-11-23T12:00:00Z" })).toEqual({ kind: "last", preset: "1h" });
  });
});

describe("ranges", () => {
  it("have a length and a span", () => {
    expect(spanOf(LIVE, NOON)).toEqual({ from: NOON - 2 * MINUTE, to: NOON });
    expect(spanOf({ kind: "last", preset: "15m" }, NOON)).toEqual({ from: NOON - 15 * MINUTE, to: NOON });
    expect(lengthOf({ kind: "fixed", from: 1_000, to: 8_000 })).toBe(7_000);
    expect(
      [LIVE, parse({ range: "5m" }), parse({ range: "15m" }), frozen(LIVE, NOON)].map((r) => isStreamed(r)),
    ).toEqual([true, true, false, false]);
  });

  it("of five minutes are asked of the service beside an earlier one", () => {
    expect(isStreamed({ kind: "last", preset: "5m" }, true)).toBe(false);
    expect(isStreamed(LIVE, true)).toBe(true);
  });

  it("between two instants are whole seconds, in order, and not too short", () => {
    expect(between(NOON + 60_400, NOON + 700)).toEqual({ kind: "fixed", from: NOON, to: NOON + 61_000 });
    expect(between(NOON, NOON)).toEqual({ kind: "fixed", from: NOON - 2_000, to: NOON + 3_000 });
  });

  it("freeze at the last second that is over", () => {
    expect(frozen(LIVE, NOON + 900)).toEqual({ kind: "fixed", from: NOON - 2 * MINUTE, to: NOON });
    expect(frozen({ kind: "last", preset: "1h" }, NOON)).toEqual(between(NOON - 60 * MINUTE, NOON));
  });

  it("double around their middle", () => {
    const range = between(NOON - 10 * MINUTE, NOON - 6 * MINUTE);
    expect(zoomedOut(between(NOON, NOON + 7_000), NOON + 60_400)).toEqual({
      kind: "fixed",
      from: NOON - 4_000,
      to: NOON + 10_000,
    });
    expect(lengthOf(zoomedOut(between(NOON, NOON + 7_000), NOON + 8_400))).toBe(14_000);
    expect(zoomedOut(range, NOON)).toEqual({ kind: "fixed", from: NOON - 12 * MINUTE, to: NOON - 4 * MINUTE });
  });

  it("double without reaching into the future", () => {
    expect(zoomedOut(frozen(LIVE, NOON), NOON)).toEqual({ kind: "fixed", from: NOON - 4 * MINUTE, to: NOON });
    expect(zoomedOut({ kind: "last", preset: "1h" }, NOON)).toEqual({
      kind: "fixed",
      from: NOON - 120 * MINUTE,
      to: NOON,
    });
  });

  it("stay in the address when they are doubled again and again", () => {
    let range = frozen(LIVE, NOON);
    for (let i = 0; i < 40; i++) range = zoomedOut(range, NOON);
    expect(rangeOf(searchOf(range) as never).kind).toBe("fixed");
  });

  it("are said and typed in the page's time zone", () => {
    expect(said({ from: NOON, to: NOON + MINUTE }, "utc")).toBe("2026-11-23 12:00:00 to 12:01:00");
    expect(said({ from: NOON, to: NOON + 86_400_000 }, "utc")).toBe("2026-11-23 12:00:00 to 2026-11-24 12:00:00");
    for (const zone of ["utc", "local"] as const) expect(timeOf(fieldOf(NOON, zone), zone)).toBe(NOON);
    expect(timeOf("", "utc")).toBeNaN();
  });
});

it("names a range in words", () => {
  expect(named(LIVE, "utc")).toBe("last 2 min");
  expect(named({ kind: "last", preset: "24h" }, "utc")).toBe("last 24 h");
  expect(named({ kind: "fixed", from: NOON, to: NOON + MINUTE }, "utc")).toBe("2026-11-23 12:00:00 to 12:01:00");
});

it("asks for the events of an hour beside streamed charts, and else for those of the range", () => {
  expect(eventsOf(LIVE)).toEqual({ lastMs: 60 * MINUTE });
  expect(eventsOf({ kind: "last", preset: "5m" })).toEqual({ lastMs: 60 * MINUTE });
  expect(eventsOf({ kind: "last", preset: "6h" })).toEqual({ lastMs: 360 * MINUTE });
  expect(eventsOf({ kind: "fixed", from: NOON, to: NOON + MINUTE })).toEqual({ from: NOON, to: NOON + MINUTE });
});
