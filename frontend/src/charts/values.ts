/** What a chart shows, in words and as a table: its lines, an earlier range, predictions and caps. */
import { decimate, type Kept, kept, type Measure, measureOf, type Point, type Source } from "./decimate";
import type { Overlay } from "./overlay";
import type { RingBuffer } from "./ringBuffer";

type Lines<C extends string> = readonly (Kept<C> & { told?: C; label: string; nowOnly?: boolean })[];
type Shown<C extends string> = { series: RingBuffer<C>; gapMs: number };
type Span = { until: number; spanMs: number; now: number };

/** An earlier range that is drawn beneath, on the same time axis. */
export type Earlier<C extends string> = Shown<C> & { name: string; shiftMs: number };

type Telling<C extends string> = {
  lines: Lines<C>;
  source: () => Shown<C>;
  earlier?: (() => Earlier<C>) | undefined;
  overlay: () => Overlay;
};

/** Values over time under one name. */
export type Told = Source &
  Measure & {
    label: string;
    /** How long a value is told after it was measured. */
    gapMs: number;
    /** It was set and not measured: each value holds until the next. */
    held?: boolean;
  };

/** All that a chart tells of: each has a column in its table and a part of its sentence. */
export function toldOf<C extends string>(
  lines: Lines<C>,
  { series, gapMs }: Shown<C>,
  earlier: Earlier<C> | undefined,
  { traces = [], caps = [] }: Overlay,
): Told[] {
  const told: Told[] = lines.map((line) => ofSeries(series, gapMs, line));
  if (earlier)
    for (const line of lines.filter(({ nowOnly }) => !nowOnly)) {
      const before = ofSeries(earlier.series, earlier.gapMs, line);
      told.push({ ...before, ...shifted(earlier), label: `${line.label}, ${earlier.name}` });
    }
  for (const { label, points, stepped = false } of traces) told.push(ofPoints(label, points, stepped));
  for (const name of new Set(caps.map((cap) => cap.name))) told.push(ofPoints(name, stepsOf(caps, name), true));
  return told;
}

/** All that a chart tells of now. */
export const toldNow = <C extends string>({ lines, source, earlier, overlay }: Telling<C>): Told[] =>
  toldOf(lines, source(), earlier?.(), overlay());

function ofSeries<C extends string>(series: RingBuffer<C>, gapMs: number, line: Lines<C>[number]): Told {
  const { label, column, told = column } = line;
  return { ...shifted({ series, shiftMs: 0 }), ...measureOf(series, { ...line, column: told }), label, gapMs };
}

/** The series on the time axis of the range that is `shiftMs` later. */
export function shifted<C extends string>({ series, shiftMs }: { series: RingBuffer<C>; shiftMs: number }): Source {
  return {
    length: series.length,
    time: (row) => series.time(row) + shiftMs,
    indexAt: (time) => series.indexAt(time - shiftMs),
  };
}

const ofPoints = (label: string, points: readonly Point[], held: boolean): Told => ({
  label,
  keep: "last",
  gapMs: 2_500,
  held,
  length: points.length,
  time: (row) => points[row]?.x ?? Number.NaN,
  indexAt: (time) => {
    const first = points.findIndex(({ x }) => x >= time);
    return first < 0 ? points.length : first;
  },
  value: (row) => points[row]?.y ?? Number.NaN,
});

/** A cap over time. NaN where none was in force. */
function stepsOf(caps: NonNullable<Overlay["caps"]>, name: string): Point[] {
  const steps: Point[] = [];
  for (const { from, to, y } of caps.filter((cap) => cap.name === name)) {
    if (steps.at(-1)?.x === from) steps.pop();
    steps.push({ x: from, y }, { x: to, y: Number.NaN });
  }
  return steps;
}

/** The values of everything that is told in one interval, which ends at `time`. NaN where nothing was measured. */
export type ValueRow = { time: number; values: number[] };

/** The shown span as at most `most` rows of equal intervals, the newest first. Each value is what the chart keeps of it. */
export function valueRows(told: readonly Told[], { until, spanMs }: Omit<Span, "now">, most = 30): ValueRow[] {
  const step = spanMs / most;
  const rows: ValueRow[] = [];
  for (let time = until; time > until - spanMs + step / 2; time -= step) {
    const values = told.map((each) => keptIn(each, each.indexAt(time - step), each.indexAt(time)));
    if (values.some((value, i) => !told[i]?.held && !Number.isNaN(value))) rows.push({ time, values });
  }
  return rows;
}

const keptIn = (told: Told, first: number, end: number): number =>
  told.held ? told.value(end - 1) : (kept(told, told, first, end)?.y ?? Number.NaN);

/** The value at a time: what holds then, or what was measured nearest to it. NaN if that is too far away. */
export function valueAt(told: Told, time: number): number {
  const after = told.indexAt(time);
  if (told.held) return told.value(told.time(after) === time ? after : after - 1);
  const isLast = after === told.length;
  const row = after > 0 && (isLast || time - told.time(after - 1) <= told.time(after) - time) ? after - 1 : after;
  return row < told.length && Math.abs(told.time(row) - time) <= told.gapMs ? told.value(row) : Number.NaN;
}

/** "12:04:31: p50 3.1 ms, p99 9 ms" without its time. */
export function sentenceAt(told: readonly Told[], time: number, format: (value: number) => string): string {
  const values = told.map((each) => [each.label, valueAt(each, time)] as const);
  const measured = values.filter(([, value]) => !Number.isNaN(value));
  return measured.map(([label, value]) => `${label} ${format(value)}`).join(", ") || "not measured";
}

/** More steps than these are told by their bounds. */
const FEW = 4;

/**
 * "p50 3.1 ms now, single values from 2 ms to 9 ms": each line's newest value, and its least and greatest in the shown span.
 * A row of the table may be a mean of several. What was set is told step by step: "cap (mean) 30 ms, then 20 ms".
 */
export function sentenceOf(told: readonly Told[], span: Span, format: (value: number) => string): string {
  const { until, spanMs, now } = span;
  const last = now - until > 10_000 ? "at the end" : "now";
  const said = told.map((each) => {
    const { label, held } = each;
    const all = held
      ? holding(each, until - spanMs, until)
      : decimate(each, each, until - spanMs, until, 120).map(({ y }) => y);
    const points = all.filter((y) => !Number.isNaN(y));
    if (points.length === 0) return `${label} ${held ? "none" : "not measured"}`;
    const [least, most] = [Math.min(...points), Math.max(...points)].map(format);
    if (all.length === points.length && least === most) return `${label} ${most} throughout`;
    if (held && all.length <= FEW)
      return `${label} ${all.map((y) => (Number.isNaN(y) ? "none" : format(y))).join(", then ")}`;
    const end = points.at(-1) as number;
    return `${label} ${format(end)} ${last}, ${held ? "" : "single values "}from ${least} to ${most}`;
  });
  return `${said.join("; ")}.`;
}

/** The values that held one after the other. */
function holding(told: Told, from: number, until: number): number[] {
  const values = [valueAt(told, from)];
  for (let row = told.indexAt(from); row < told.indexAt(until); row++)
    if (!Object.is(told.value(row), values.at(-1))) values.push(told.value(row));
  return values;
}
