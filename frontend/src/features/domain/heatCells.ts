import type { ConnectionHistory } from "@/api/types";
import { duration } from "@/format/format";
import { byName } from "@/format/names";
import type { HeatMeasure, HeatSecond } from "@/stream/heat";

/** What a heatmap draws. */
export type HeatSource = {
  /** Each by its first second. */
  seconds: readonly HeatSecond[];
  /** The length of a column in seconds. */
  step: number;
} & Axis;

/** The ends of the time axis in ms since 1970: those of the charts above, so that an instant is at the same place. */
export type Axis = { from: number; until: number };

const STEPS = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 10_800];
const MOST_COLUMNS = 300;

/** The length of a column that is asked for, in seconds: at most 300 of them make the range. */
export const heatStep = (lengthMs: number) =>
  STEPS.find((step) => lengthMs <= step * MOST_COLUMNS * 1_000) ?? (STEPS.at(-1) as number);

/** The answer of the service as parts of the heatmap. Its times are the columns' ends. */
export function heatSeconds({ stepMs, time, connections }: ConnectionHistory): HeatSecond[] {
  return time.map((end, i) => {
    const open = connections.filter((each) => each.p99Ms[i] != null);
    const column = (name: "p99Ms" | "meanMs" | "busy") => open.map((each) => each[name][i] ?? null);
    return {
      second: Math.floor((Date.parse(end) - stepMs) / 1000),
      ids: open.map((each) => each.id),
      p99: column("p99Ms"),
      mean: column("meanMs"),
      busy: column("busy"),
    };
  });
}

/** What is written beside a row: the connection's number, because all share the domain's name. */
export const rowName = (id: string, domain: string) => (id.startsWith(`${domain}-`) ? id.slice(domain.length + 1) : id);

/** What the lightest and the darkest cells mean. */
export function heatKey(usual: number, measure: HeatMeasure): [string, string] {
  return measure === "busy" ? ["0 %", "100 %"] : [`≤ ${duration(usual * 0.6)}`, `≥ ${duration(usual * 4)}`];
}

export type HeatCells = Axis & {
  rows: string[];
  columns: number;
  /** When the first column begins: at the begin of the axis, or before it. */
  firstSecond: number;
  /** The length of a column in seconds. */
  step: number;
  /** Row by row. NaN means "not measured". */
  values: Float32Array;
  /** The usual value, drawn light. Four times this value is drawn darkest. */
  usual: number;
};

/** All columns that reach into the axis as a grid, but not the second that is not over; one row per connection that was open. */
export function heatCells({ seconds, from, until, step }: HeatSource, measure: HeatMeasure): HeatCells {
  const first = Math.floor(from / 1_000 / step);
  const firstSecond = first * step;
  const columns = Math.max(1, Math.ceil(Math.floor(until / 1_000) / step) - first);
  const ids = new Set<string>();
  for (const s of seconds) if (s.second >= firstSecond) for (const id of s.ids) ids.add(id);
  const rows = [...ids].sort(byName);
  const rowOf = new Map(rows.map((id, i) => [id, i]));
  const values = new Float32Array(rows.length * columns).fill(Number.NaN);
  const seen: number[] = [];
  for (const s of seconds) {
    const column = Math.floor((s.second - firstSecond) / step);
    if (column < 0 || column >= columns) continue;
    s.ids.forEach((id, i) => {
      const value = s[measure][i];
      if (value == null) return;
      values[(rowOf.get(id) as number) * columns + column] = value;
      if (value > 0) seen.push(value);
    });
  }
  return { rows, columns, firstSecond, step, from, until, values, usual: medianOf(seen) };
}

/** When a column begins, in ms since 1970. */
export const timeOf = ({ firstSecond, step }: HeatCells, column: number) => (firstSecond + column * step) * 1_000;

/** Where a time is on the axis: 0 at its begin, 1 at its end. */
export const placeOf = ({ from, until }: Axis, time: number) => (time - from) / (until - from);

/** The column with a time in ms since 1970, or the nearest one. */
export const columnAt = ({ firstSecond, step, columns }: HeatCells, time: number) =>
  Math.max(0, Math.min(columns - 1, Math.floor((time / 1_000 - firstSecond) / step)));

export const cellAt = ({ values, columns }: HeatCells, row: number, column: number) =>
  values[row * columns + column] ?? Number.NaN;

function medianOf(values: number[]): number {
  values.sort((a, b) => a - b);
  return values[Math.floor(values.length / 2)] ?? 1;
}

/**
 * 0 (light) to 1 (dark). A latency is compared with the usual one on a logarithmic scale: half of it is nearly 0,
 * twice is clearly visible, four times is 1. Busy is a share already.
 */
export function intensity(value: number, usual: number, measure: HeatMeasure): number {
  const k = measure === "busy" ? value * 0.6 : 0.3 + 0.35 * Math.log2(Math.max(value, 1e-9) / (usual || 1));
  return Math.min(1, Math.max(0.04, k));
}
