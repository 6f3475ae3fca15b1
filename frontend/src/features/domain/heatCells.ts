import type { HeatMeasure, HeatSecond } from "@/stream/heat";
import { byId } from "@/stream/heat";

export type HeatCells = {
  rows: string[];
  columns: number;
  firstSecond: number;
  /** Row by row; NaN where nothing was measured. */
  values: Float32Array;
  /** What the darkest colour stands for. */
  scale: number;
};

/** The last `columns` seconds up to `lastSecond` as a grid, one row per connection that was there. */
export function heatCells(seconds: readonly HeatSecond[], lastSecond: number, columns: number, measure: HeatMeasure): HeatCells {
  const firstSecond = lastSecond - columns + 1;
  const ids = new Set<string>();
  for (const s of seconds) if (s.second >= firstSecond) for (const id of s.ids) ids.add(id);
  const rows = [...ids].sort(byId);
  const rowOf = new Map(rows.map((id, i) => [id, i]));
  const values = new Float32Array(rows.length * columns).fill(Number.NaN);
  const seen: number[] = [];
  for (const s of seconds) {
    const column = s.second - firstSecond;
    if (column < 0 || column >= columns) continue;
    s.ids.forEach((id, i) => {
      const value = s[measure][i];
      if (value == null) return;
      values[(rowOf.get(id) as number) * columns + column] = value;
      if (value > 0) seen.push(value);
    });
  }
  return { rows, columns, firstSecond, values, scale: measure === "busy" ? 1 : topOf(seen) };
}

/** Nearly the greatest: one outlier must not wash out everything else. */
function topOf(values: number[]): number {
  if (values.length === 0) return 1;
  values.sort((a, b) => a - b);
  return values[Math.floor((values.length - 1) * 0.99)] as number;
}

/** 0 (fast) to 1 (slow); the square root gives the fast ones room to differ. */
export function intensity(value: number, scale: number): number {
  return Math.min(1, Math.sqrt(Math.max(0, value) / (scale || 1)));
}
