import { expect, it } from "vitest";
import type { LoggedAlarm } from "@/api/types";
import { codesOf, howLong, howOften, isUnattended, quiet, sentenceOf, tone } from "./words";

const NOON = Date.parse("2026-11-21T12:00:00Z");
const alarm: LoggedAlarm = {
  id: "1",
  reach: "domain",
  database: "main",
  domain: "bank",
  domains: [],
  code: "at-ceiling",
  message: "bank has been held at its latency cap",
  detail: "it may hold 7 connections",
  severity: "warning",
  since: "2026-11-21T12:00:00Z",
  lastSeen: "2026-11-21T12:01:00Z",
  clearing: null,
  cleared: null,
  cutOff: false,
  times: 1,
  acknowledged: null,
  silenced: null,
};
const seen = { time: "2026-11-21T12:00:30Z", actor: "admin", reason: "mine" };
const silent = { until: "2026-11-21T13:00:00Z", actor: "admin", reason: "a drill" };

it("counts what is open and neither acknowledged nor silenced", () => {
  expect(isUnattended(alarm)).toBe(true);
  expect(isUnattended({ ...alarm, acknowledged: seen })).toBe(false);
  expect(isUnattended({ ...alarm, silenced: silent })).toBe(false);
  expect(isUnattended({ ...alarm, severity: "notice" })).toBe(false);
  expect(isUnattended({ ...alarm, cleared: "2026-11-21T12:02:00Z" })).toBe(false);
});

it("is loud only where somebody should look", () => {
  expect(tone(alarm)).toBe("warn");
  expect(tone({ ...alarm, severity: "critical" })).toBe("bad");
  expect(tone({ ...alarm, severity: "critical", silenced: silent })).toBe("");
  expect(tone({ ...alarm, severity: "notice" })).toBe("");
});

it("says how long, how often and that it is quiet", () => {
  expect(howLong(alarm, NOON + 184_000)).toBe("for 3 min 4 s");
  expect(howLong(alarm, NOON + 999)).toBe("");
  expect(howLong({ ...alarm, cleared: "2026-11-21T12:02:00Z" }, NOON + 999_000)).toBe("lasted 1 min");
  const gone = { ...alarm, clearing: "2026-11-21T12:01:00Z" };
  expect(howLong(gone, NOON + 72_000)).toBe("lasted 1 min");
  expect(howLong({ ...gone, lastSeen: alarm.since }, NOON + 72_000)).toBe("lasted less than 1 s");
  expect(howLong({ ...gone, times: 2 }, NOON + 72_000)).toBe("for 1 min 12 s");
  expect(howOften(alarm)).toBe("");
  expect(howOften({ ...alarm, times: 9 })).toBe("came 9 times");
  expect(quiet(alarm, NOON)).toBe("");
  const clearing = { ...alarm, clearing: "2026-11-21T12:01:00Z" };
  expect(quiet(clearing, NOON + 72_000)).toBe("quiet for 12 s");
  expect(quiet(clearing, NOON + 60_500)).toBe("");
  expect(quiet({ ...clearing, cleared: "2026-11-21T12:02:00Z" }, NOON + 72_000)).toBe("");
});

it("ends a message once", () => {
  expect(sentenceOf("bank is paused")).toBe("bank is paused.");
  expect(sentenceOf("Nobody knows why? ")).toBe("Nobody knows why?");
});

it("offers known codes, those shown and the chosen one, each once", () => {
  const codes = codesOf([{ ...alarm, code: "own" }, alarm], "gone");
  expect(codes).toContain("own");
  expect(codes).toContain("gone");
  expect(codes.filter((code) => code === "at-ceiling")).toHaveLength(1);
});
