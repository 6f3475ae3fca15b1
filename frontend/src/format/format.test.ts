import { expect, it, vi } from "vitest";
import {
  age,
  bytes,
  clock,
  coarseAge,
  count,
  duration,
  ofRequests,
  spelled,
  stamp,
  timeText,
  whenText,
  zoneText,
} from "./format";

it("gives a duration the unit of its magnitude", () => {
  expect(
    [null, 0, 0.0004, 0.45, 0.9996, 3.14, 18, 18.24, 41, 999.4, 999.6, 4200, 60_000, 134_000].map(duration),
  ).toEqual([
    "–",
    "0 ms",
    "1 µs",
    "450 µs",
    "1 ms",
    "3.1 ms",
    "18 ms",
    "18.2 ms",
    "41 ms",
    "999 ms",
    "1 s",
    "4.2 s",
    "1 min",
    "2 min 14 s",
  ]);
});

it("tells an age in at most two units", () => {
  expect([0, 59_999, 60_000, 134_000, 3_600_000, 11_100_000, 777_600_000].map(age)).toEqual([
    "0 s",
    "59 s",
    "1 min",
    "2 min 14 s",
    "1 h",
    "3 h 5 min",
    "9 d",
  ]);
  expect([5_000, 540_000, 7_300_000, 200_000_000].map(coarseAge)).toEqual(["5 s", "9 min", "2 h", "2 d"]);
});

it("groups counts and keeps a decimal of small ones", () => {
  expect([undefined, 0, 0.4, 9.96, 21, 1208, 18204].map(count)).toEqual([
    "–",
    "0",
    "0.4",
    "10.0",
    "21",
    "1,208",
    "18,204",
  ]);
});

it("says nothing of how long requests took where there were none", () => {
  expect(ofRequests(12.3, 0.1)).toBe(12.3);
  expect([ofRequests(0, 0), ofRequests(0, null), ofRequests(null, 5)]).toEqual([null, null, null]);
});

it("writes bytes, times and small numbers in words", () => {
  expect([900, 1500, 12_345_678].map(bytes)).toEqual(["900 B", "1.5 kB", "12 MB"]);
  expect(clock("2026-11-21T12:03:07Z", "utc")).toBe("12:03:07");
  expect(stamp("2026-11-21T12:03:07Z", "utc")).toBe("2026-11-21 12:03:07");
  expect(clock("nonsense", "utc")).toBe("–");
  expect([0, 2, 12].map(spelled)).toEqual(["no", "two", "12"]);
});

it("says a time with its date unless it is of the last half day", () => {
  const now = Date.parse("2026-11-21T03:05:00Z");
  expect(whenText("2026-11-21T02:58:11Z", "utc", now)).toBe("02:58:11");
  expect(whenText("2026-11-20T22:58:11Z", "utc", now)).toBe("22:58:11");
  expect(whenText("2026-11-19T02:58:11Z", "utc", now)).toBe("11-19 02:58:11");
  expect(whenText("2026-11-23T02:58:11Z", "utc", now)).toBe("11-23 02:58:11");
  expect(whenText("never", "utc", now)).toBe("–");
});

it("says the times of a range with their date unless it is short and of today", () => {
  const now = Date.parse("2026-11-21T15:00:00Z");
  const said = (until: string, minutes: number) =>
    timeText(Date.parse(until), "utc", { until: Date.parse(until), spanMs: minutes * 60_000, now });
  expect(said("2026-11-21T15:00:00Z", 2)).toBe("15:00:00");
  expect(said("2026-11-21T15:00:00Z", 24 * 60)).toBe("11-21 15:00:00");
  expect(said("2026-11-19T12:05:00Z", 5)).toBe("11-19 12:05:00");
  expect(said("2026-11-20T23:30:00Z", 5)).toBe("11-20 23:30:00");
  expect(said("2026-11-21T00:05:00Z", 10)).toBe("11-21 00:05:00");
});

it("names the zone of a time by what it is ahead of UTC", () => {
  const ahead = vi.spyOn(Date.prototype, "getTimezoneOffset");
  const named = [-60, 210, 0].map((offset) => {
    ahead.mockReturnValue(offset);
    return zoneText(0, "local");
  });
  expect(named).toEqual(["UTC+01:00", "UTC−03:30", "UTC"]);
  expect(zoneText(0, "utc")).toBe("UTC");
  ahead.mockRestore();
});
