/**
 * Reduces a series to fewer points than pixels. For latency each bucket keeps its worst value, never an average.
 * Buckets are aligned to absolute time, so that a scrolling chart does not flicker.
 */
export type Point = { x: number; y: number };

/** The value of a bucket: its greatest (latency, waiting), its last (limits) or its mean (rates). */
export type Keep = "max" | "last" | "mean";

export interface Source {
  readonly length: number;
  time(row: number): number;
  indexAt(time: number): number;
}

export function decimate(
  source: Source,
  value: (row: number) => number,
  from: number,
  to: number,
  buckets: number,
  keep: Keep,
  out: Point[] = [],
): Point[] {
  out.length = 0;
  if (source.length === 0 || !(to > from)) return out;
  // Includes one row beyond each edge, so that the line reaches the edge of the chart.
  const first = Math.max(0, source.indexAt(from) - 1);
  const last = Math.min(source.length, source.indexAt(to) + 1);
  const width = (to - from) / Math.max(1, buckets);
  if (last - first <= buckets) {
    for (let row = first; row < last; row++) {
      const y = value(row);
      if (!Number.isNaN(y)) out.push({ x: source.time(row), y });
    }
    return out;
  }
  let bucket = Number.NaN;
  let x = 0;
  let y = Number.NaN;
  let n = 0;
  const flush = () => {
    if (n > 0) out.push({ x, y: keep === "mean" ? y / n : y });
  };
  for (let row = first; row < last; row++) {
    const v = value(row);
    if (Number.isNaN(v)) continue;
    const time = source.time(row);
    const b = Math.floor(time / width);
    if (b !== bucket) {
      flush();
      bucket = b;
      n = 1;
      x = time;
      y = v;
      continue;
    }
    n++;
    if (keep === "max") {
      if (v > y) {
        y = v;
        x = time;
      }
    } else if (keep === "last") {
      y = v;
      x = time;
    } else y += v;
  }
  flush();
  return out;
}

/** The points that are farther than `gap` from both neighbours: no line leads to them. */
export function alone<P extends { x: number }>(points: readonly P[], gap: number): P[] {
  return points.filter((point, i) => {
    const [before, after] = [points[i - 1], points[i + 1]];
    return (!before || point.x - before.x > gap) && (!after || after.x - point.x > gap);
  });
}
