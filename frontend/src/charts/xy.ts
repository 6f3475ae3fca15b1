/** Charts of numbers over numbers: their axes, and what they show at one place, in a sentence and in a table. */

import { figure, withUnit } from "@/format/figure";
import { NONE } from "@/format/format";
import { logAxis, niceStep } from "./timeAxis";

export type XyAxis = { title: string; unit: string; logarithmic: boolean };

export type XyLine = {
  name: string;
  /** "steps": each value holds until the next. */
  style: "line" | "dashed" | "steps" | "points";
  /** In rising order. */
  x: readonly number[];
  y: readonly number[];
  /** Which colour and mark it has. */
  slot: number;
  /** Drawn paler and beneath. */
  paler?: boolean;
};

export type Xy = { title: string; x: XyAxis; y: XyAxis; lines: readonly XyLine[]; sentence: string };

/** The marks of values by slot: as characters, and as Chart.js calls them. Lines differ by more than their colour. */
export const MARKS = [
  ["●", "circle"],
  ["▲", "triangle"],
  ["■", "rect"],
  ["◆", "rectRot"],
  ["✚", "cross"],
  ["✖", "crossRot"],
] as const;

/** The mark of a slot. Where the colours begin again, each comes with another mark. */
export const markOf = (slot: number) => MARKS[(slot + Math.floor(slot / MARKS.length)) % MARKS.length] ?? MARKS[0];

/** "latency, ms" */
export const caption = ({ title, unit }: XyAxis) => (unit === "" ? title : `${title}, ${unit}`);

export type Point = { x: number; y: number };

/** What of a line can be drawn: a logarithmic axis has no place for zero. */
export function pointsOf({ x, y }: Pick<XyLine, "x" | "y">, chart: Pick<Xy, "x" | "y">): Point[] {
  return x
    .map((at, i) => ({ x: at, y: y[i] ?? Number.NaN }))
    .filter((p) => (p.x > 0 || !chart.x.logarithmic) && (p.y > 0 || !chart.y.logarithmic));
}

export type Scale = { min: number; max: number; ticks: number[] };

/**
 * An axis that shows every value. A linear one begins at zero or below with `fromZero`; without, it is as wide as the values, and has
 * whole ticks if they are whole.
 */
export function scaleOf(values: readonly number[], logarithmic: boolean, fromZero: boolean, steps: number): Scale {
  const [least, most] = values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)] as const, [
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ] as const);
  if (logarithmic) return logAxis(undefined, least, most);
  const low = Number.isFinite(least) ? (fromZero ? Math.min(0, least) : least) : 0;
  const high = Math.max(Number.isFinite(most) ? most : 1, fromZero ? 0 : low);
  const whole = !fromZero && values.every(Number.isInteger);
  const step = niceStep(high > low ? high - low : 1, steps, whole);
  const at = (n: number) => Number((n * step).toPrecision(12));
  const first = fromZero ? Math.floor(low / step + 1e-9) : Math.ceil(low / step - 1e-9);
  const last = fromZero ? Math.max(first + 1, Math.ceil(high / step - 1e-9)) : Math.floor(high / step + 1e-9);
  const ticks = Array.from({ length: Math.max(1, last - first + 1) }, (_, i) => at(first + i));
  if (!fromZero)
    return high > low ? { min: low, max: high, ticks } : { min: low - step, max: low + step, ticks: [low] };
  return { min: at(first), max: at(last), ticks };
}

/** So many values of a line are marked one by one. Of more, and of steps, a few are marked, other ones than of the line before. */
const FEW = 40;
const SOME = 6;

/** Whether the value at an index has a mark, by which lines are told apart without their colours. */
export function isMarked({ style, x, slot }: Pick<XyLine, "style" | "x" | "slot">, index: number): boolean {
  if (style === "dashed") return false;
  if (style === "points" || (style === "line" && x.length <= FEW)) return true;
  const every = Math.max(2, Math.round(x.length / SOME));
  return index % every === (every < MARKS.length ? slot : Math.round((every * slot) / MARKS.length)) % every;
}

/** Every place at which a line has a value, in rising order. */
export function placesOf(lines: readonly XyLine[]): number[] {
  return [...new Set(lines.flatMap((line) => line.x))].sort((a, b) => a - b);
}

/** The place that is nearest to `x`; undefined if there is none. */
export function nearest(places: readonly number[], x: number, distance = (a: number, b: number) => Math.abs(a - b)) {
  let best = places[0];
  for (const place of places) if (best === undefined || distance(place, x) < distance(best, x)) best = place;
  return best;
}

/** The values of a line at a place. A step holds until the next one. */
export function valuesAt({ x, y, style }: XyLine, place: number): number[] {
  const there = y.filter((_, i) => x[i] === place);
  if (there.length > 0 || style !== "steps") return there;
  const before = x.findLastIndex((at) => at < place);
  return before < 0 || before === x.length - 1 ? [] : [y[before] as number];
}

/** "12.3 ms", or "1.2 ms to 3.4 ms" where a line has several values. */
export function said(values: readonly number[], unit: string): string {
  if (values.length === 0) return NONE;
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return least === most ? withUnit(least, unit) : `${figure(least)} to ${withUnit(most, unit)}`;
}

/** "connections 4: auction 12.3 ms, bank 4 ms" */
export function sentenceAt({ x, y, lines }: Xy, place: number): string {
  const values = lines
    .map((line) => [line.name, valuesAt(line, place)] as const)
    .filter(([, there]) => there.length > 0)
    .map(([name, there]) => `${name} ${said(there, y.unit)}`);
  return `${x.title} ${withUnit(place, x.unit)}: ${values.join(", ") || "no value"}`;
}

export type Row = { x: number; values: string[] };

/** A row for each place, with the values of every line; of more than `most` places, evenly picked ones. */
export function rowsOf({ lines }: Xy, most = 200): { rows: Row[]; of: number } {
  const places = placesOf(lines);
  const every = Math.max(1, Math.ceil(places.length / most));
  const rows = places
    .filter((_, i) => i % every === 0)
    .map((x) => ({ x, values: lines.map((line) => said(valuesAt(line, x), "")) }));
  return { rows, of: places.length };
}
