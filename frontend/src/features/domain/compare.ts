/** A range beside an earlier one of the same length. */
import * as z from "zod/mini";
import type { History, PolicySetRevision } from "@/api/types";
import { age, count, duration, NONE, stamp, type Zone } from "@/format/format";
import { instant, instantOf, lengthOf, type Range, type Span } from "@/range/range";
import type { Before } from "@/range/series";

export const COMPARE_OPTIONS = [
  ["before", "the range before"],
  ["day", "a day before"],
  ["week", "a week before"],
] as const;
const SECOND = 1_000;
const DAY = 86_400_000;

const isOption = (text: string) => COMPARE_OPTIONS.some(([option]) => option === text);

/** The revision of "rev:7", whose time is the earlier range; null for another one. */
export function revisionOf(compare: string | undefined): number | null {
  const digits = /^rev:(\d{1,9})$/.exec(compare ?? "")?.[1];
  return digits === undefined ? null : Number(digits);
}

const isCompared = (text: string) => isOption(text) || revisionOf(text) !== null || !Number.isNaN(instantOf(text));

/** The earlier range in the address: one of the options, a revision, or the instant at which it begins. */
export const compareSearch = z.catch(z.optional(z.string().check(z.refine(isCompared))), undefined);

/**
 * How many ms earlier it begins. Null without one, beside live charts, if it would not be earlier, or if it has a begin of
 * its own and the range moves.
 */
export function shiftOf(compare: string | undefined, range: Range): number | null {
  if (compare === undefined || range.kind === "live") return null;
  if (compare === "before") return lengthOf(range);
  if (compare === "day") return DAY;
  if (compare === "week") return 7 * DAY;
  const shift = range.kind === "fixed" ? range.from - instantOf(compare) : Number.NaN;
  return shift > 0 ? shift : null;
}

/** The earlier range beside the next one: one with a begin of its own stays as far away. */
export function carried(compare: string | undefined, range: Range, next: Range): string | undefined {
  if (compare === undefined || isOption(compare)) return compare;
  if (revisionOf(compare) !== null) return next.kind === "fixed" ? compare : undefined;
  const shift = shiftOf(compare, range);
  return shift === null || next.kind !== "fixed" ? undefined : instant(next.from - shift);
}

/** The earlier range in words, as legend and table name it. */
export function comparedText(compare: string, zone: Zone): string {
  return COMPARE_OPTIONS.find(([option]) => option === compare)?.[1] ?? `from ${stamp(instantOf(compare), zone)}`;
}

type Revision = Pick<PolicySetRevision, "revision" | "createdAt">;

/** When a revision was in force, in whole seconds and as far as it was before an instant. Null if it was not. */
export function inForce(revision: number, all: readonly Revision[], before: number): Span | null {
  const begins = (of: (number: number) => boolean) =>
    Math.min(...all.flatMap((each) => (each.createdAt && of(each.revision) ? Date.parse(each.createdAt) : [])));
  const from = Math.ceil(begins((number) => number === revision) / SECOND) * SECOND;
  const to = Math.min(before, Math.floor(begins((number) => number > revision) / SECOND) * SECOND);
  return to - from >= SECOND ? { from, to } : null;
}

/**
 * The earlier range as the charts draw it. Null where `shiftOf` is. Of a revision it is the last part of its time that is as long as the
 * range, or all of it if that is shorter.
 *
 * @param revisions of the set whose revision it may be
 */
export function beforeOf(
  compare: string | undefined,
  range: Range,
  zone: Zone,
  revisions: readonly Revision[] = [],
): Before | null {
  const revision = revisionOf(compare);
  if (revision !== null) {
    const span = range.kind === "fixed" ? inForce(revision, revisions, range.from) : null;
    if (range.kind !== "fixed" || span === null) return null;
    const lengthMs = Math.min(lengthOf(range), span.to - span.from);
    return { name: `rev ${revision}`, backMs: range.from - (span.to - lengthMs), lengthMs };
  }
  const backMs = shiftOf(compare, range);
  return compare === undefined || backMs === null ? null : { name: comparedText(compare, zone), backMs };
}

type Total = NonNullable<History["total"]>;

export type Difference = {
  name: string;
  before: string;
  now: string;
  /** With its sign; NONE if one of the two was not measured. */
  by: string;
  percent: string;
  /** It rose by more than a twentieth, less of it is better, and about as much was measured. */
  worse: boolean;
};

type Figure = {
  name: string;
  of: (total: Total) => number | null;
  text: (value: number) => string;
  /** Less of it is better. */
  bad?: boolean;
  /** It grows with the time that was measured. */
  counted?: boolean;
};

const FIGURES: readonly Figure[] = [
  { name: "measured", of: (t) => Math.round(t.measuredMs / 1_000) * 1_000, text: age },
  { name: "statements", of: (t) => t.requests, text: count, counted: true },
  { name: "errors", of: (t) => t.errors, text: count, bad: true, counted: true },
  { name: "lease requests", of: (t) => t.arrivals, text: count, counted: true },
  { name: "refused", of: (t) => t.refused, text: count, bad: true, counted: true },
  { name: "latency mean", of: (t) => t.meanMs, text: duration, bad: true },
  { name: "latency p50", of: (t) => t.p50Ms, text: duration, bad: true },
  { name: "latency p95", of: (t) => t.p95Ms, text: duration, bad: true },
  { name: "latency p99", of: (t) => t.p99Ms, text: duration, bad: true },
  { name: "latency max", of: (t) => t.maxMs, text: duration, bad: true },
  { name: "wait p99", of: (t) => t.waitP99Ms, text: duration, bad: true },
];

const NOTABLE = 1.05;

/** Of less than this share of the longer one, the shorter measured time tells too little. */
const ENOUGH = 0.5;

/** How a range was measured beside an earlier one, if not for about as long. */
export function unevenness(then: Total, now: Total): "much" | "some" | null {
  const [short, long] = [then.measuredMs, now.measuredMs].sort((a, b) => a - b) as [number, number];
  if (short < long * ENOUGH) return "much";
  return short * NOTABLE < long ? "some" : null;
}

/** Counts are compared as if as much had been measured then as now. If much more or less was, nothing is called worse. */
export function differences(then: Total, now: Total): Difference[] {
  const judged = unevenness(then, now) !== "much";
  return FIGURES.map(({ name, of, text, bad = false, counted = false }) => {
    const [before, b] = [of(then), of(now)];
    const both = { name, before: before == null ? NONE : text(before), now: b == null ? NONE : text(b) };
    const uncounted = counted && !judged;
    if (before == null || b == null || uncounted) return { ...both, by: NONE, percent: NONE, worse: false };
    const a = counted ? (before * now.measuredMs) / then.measuredMs : before;
    const by = text(counted ? Math.round(Math.abs(b - a)) : Math.abs(b - a));
    return {
      ...both,
      by: by === text(0) ? by : (b > a ? "+" : "−") + by,
      percent: a === 0 ? (b === 0 ? "0 %" : NONE) : percentOf(b / a - 1),
      worse: judged && bad && b > a * NOTABLE,
    };
  });
}

/** +12 %, −3.4 %, and a multiple from three times on. */
function percentOf(share: number): string {
  if (share >= 2) return `× ${count(share + 1)}`;
  const percent = Math.abs(share) * 100;
  const text = percent < 9.95 ? percent.toFixed(1).replace(".0", "") : String(Math.round(percent));
  return `${text === "0" ? "" : share > 0 ? "+" : "−"}${text} %`;
}
