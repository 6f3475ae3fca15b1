/** The time range of the charts, as the page's address tells it. */
import * as z from "zod/mini";
import type { Past } from "@/api/past";
import { age, stamp, type Zone } from "@/format/format";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** What live charts show, and what is kept of the moment when they are frozen. */
export const LIVE_MS = 2 * MINUTE;

export const PRESETS = {
  "5m": 5 * MINUTE,
  "15m": 15 * MINUTE,
  "1h": HOUR,
  "6h": 6 * HOUR,
  "24h": DAY,
  "7d": 7 * DAY,
  "30d": 30 * DAY,
} as const;
export type Preset = keyof typeof PRESETS;

export const RANGE_OPTIONS = [
  ["live", "Live"],
  ["5m", "5 m"],
  ["15m", "15 m"],
  ["1h", "1 h"],
  ["6h", "6 h"],
  ["24h", "24 h"],
  ["7d", "7 d"],
  ["30d", "30 d"],
] as const satisfies readonly (readonly ["live" | Preset, string])[];

/** Times in milliseconds since 1970. `from` is included, `to` is not. */
export type Span = { from: number; to: number };

/** What is streamed, the last time until now, or a fixed part of the past. */
export type Range = { kind: "live" } | { kind: "last"; preset: Preset } | ({ kind: "fixed" } & Span);

export const LIVE: Range = { kind: "live" };

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;
const LONGEST = 400 * DAY;
const SHORTEST = 5 * SECOND;

/** An instant of the address in milliseconds since 1970. NaN for anything else. */
export const instantOf = (text: string | undefined) => (text && INSTANT.test(text) ? Date.parse(text) : Number.NaN);

/** 2026-11-23T21:15:00Z */
export const instant = (time: number) => new Date(time).toISOString().replace(".000Z", "Z");

const optional = <T extends z.ZodMiniType>(schema: T) => z.catch(z.optional(schema), undefined);
const anInstant = z.string().check(z.refine((text) => !Number.isNaN(instantOf(text))));

/** The parameters of the address that tell the range. What is not understood is left out. */
export const rangeSearch = {
  range: optional(z.enum(Object.keys(PRESETS) as [Preset, ...Preset[]])),
  from: optional(anInstant),
  to: optional(anInstant),
};
export type RangeSearch = { range?: Preset; from?: string; to?: string };

export function rangeOf({ range, from, to }: RangeSearch): Range {
  const fixed = { from: instantOf(from), to: instantOf(to) };
  if (fixed.to - fixed.from >= SECOND && fixed.to - fixed.from <= LONGEST) return { kind: "fixed", ...fixed };
  return range ? { kind: "last", preset: range } : LIVE;
}

export function searchOf(range: Range): Record<"from" | "to", string | undefined> & { range: Preset | undefined } {
  return {
    range: range.kind === "last" ? range.preset : undefined,
    from: range.kind === "fixed" ? instant(range.from) : undefined,
    to: range.kind === "fixed" ? instant(range.to) : undefined,
  };
}

export function lengthOf(range: Range): number {
  if (range.kind === "live") return LIVE_MS;
  return range.kind === "last" ? PRESETS[range.preset] : range.to - range.from;
}

export const spanOf = (range: Range, now: number): Span =>
  range.kind === "fixed" ? { from: range.from, to: range.to } : { from: now - lengthOf(range), to: now };

/** The range as the service is asked for it. */
export const pastOf = (range: Range): Past =>
  range.kind === "fixed" ? { from: range.from, to: range.to } : { lastMs: lengthOf(range) };

/** The range of a part of the past; the shortest that holds it, if it ends now. */
export function rangeOfPast(past: Past): Range {
  if ("from" in past) return { kind: "fixed", ...past };
  const presets = Object.keys(PRESETS) as Preset[];
  return { kind: "last", preset: presets.find((preset) => PRESETS[preset] >= past.lastMs) ?? "30d" };
}

/** Live charts ask for the events of an hour, so that the answer serves for as long. */
const LIVE_EVENTS: Past = { lastMs: HOUR };

/** Of which time the events are asked for that are marked on the charts of a range. */
export const eventsOf = (range: Range): Past => (isStreamed(range) ? LIVE_EVENTS : pastOf(range));

/** The stream has it all. Longer and fixed ranges, and those beside an earlier one, are asked of the service. */
export const isStreamed = (range: Range, compared = false) =>
  range.kind === "live" || (range.kind === "last" && range.preset === "5m" && !compared);

/** A range between two instants in any order, in whole seconds and no shorter than five of them. */
export function between(a: number, b: number): Range {
  let from = Math.floor(Math.min(a, b) / SECOND) * SECOND;
  let to = Math.ceil(Math.max(a, b) / SECOND) * SECOND;
  const missing = SHORTEST - (to - from);
  if (missing > 0) {
    from -= Math.floor(missing / 2 / SECOND) * SECOND;
    to = from + SHORTEST;
  }
  return { kind: "fixed", from, to };
}

/** Why there is no range between two instants that were typed; empty if there is. */
export function faultBetween(from: number, to: number): string {
  if (!(from < to)) return "The begin must be before the end.";
  return to - from > LONGEST ? "A range is at most 400 days long." : "";
}

/** Twice the range around its middle. It does not reach into the future: what is beyond now is added before. */
export function zoomedOut(range: Range, now: number): Range {
  const whole = Math.floor(now / SECOND) * SECOND;
  const { from, to } = spanOf(range, whole);
  const length = Math.min(LONGEST, 2 * (to - from));
  const middle = Math.floor((from + to) / 2 / SECOND) * SECOND;
  const end = Math.max(to, Math.min(middle + length / 2, whole));
  return between(end - length, end);
}

/** What is shown now, for good. It ends with the last second that is over. */
export function frozen(range: Range, now: number): Range {
  const { from, to } = spanOf(range, Math.floor(now / SECOND) * SECOND);
  return between(from, to);
}

/** The value of a date and time field, in the page's time zone. */
export const fieldOf = (time: number, zone: Zone) => stamp(time, zone).replace(" ", "T");

/** The time that such a field tells. NaN if it is empty. */
export const timeOf = (field: string, zone: Zone) => Date.parse(zone === "utc" ? `${field}Z` : field);

/** "2026-11-23 21:00:00 to 21:15:00" */
export function said({ from, to }: Span, zone: Zone): string {
  const [begin, end] = [stamp(from, zone), stamp(to, zone)];
  return `${begin} to ${begin.slice(0, 10) === end.slice(0, 10) ? end.slice(11) : end}`;
}

/** "last 15 min", or from when to when. */
export const named = (range: Range, zone: Zone) =>
  range.kind === "fixed" ? said(range, zone) : `last ${age(lengthOf(range))}`;
