/**
 * Reduces a series to fewer points than pixels. Of a percentile each bucket keeps a measured value, never an average.
 * Buckets are aligned to absolute time, so that a scrolling chart does not flicker.
 */
export type Point = { x: number; y: number };

/** What stands for several rows: the greatest value (percentiles, waiting), the last (limits) or the mean (means, rates). */
export type Keep = "max" | "last" | "mean";

export interface Source {
  readonly length: number;
  time(row: number): number;
  indexAt(time: number): number;
}

/** The values of a source's rows, NaN where nothing was measured, and what is kept of several. */
export type Measure = {
  value: (row: number) => number;
  keep: Keep;
  /** How many each row's mean is of, so that a mean of means is that of all. Without it rows count alike. */
  weight?: ((row: number) => number) | undefined;
};

/** A line's column, and what is kept of several of its rows. */
export type Kept<C extends string> = { column: C; keep: Keep; weight?: C | undefined };

/** What is kept of a column of a series. `weight` names the column of counts that its means are weighted by. */
export function measureOf<C extends string>(
  series: { value(column: C, row: number): number },
  { column, keep, weight }: Kept<C>,
): Measure {
  return {
    value: (row) => series.value(column, row),
    keep,
    weight: weight && ((row) => series.value(weight, row)),
  };
}

/** Less than any count: a rate of very few statements is rounded to 0, and their mean counts nevertheless. */
const LEAST_WEIGHT = 1e-6;

/** The rows from `first` to before `end` as one point, at the time of the row that it keeps. Null where nothing was measured. */
export function kept(source: Source, { value, keep, weight }: Measure, first: number, end: number): Point | null {
  let at = -1;
  let y = Number.NaN;
  let sum = 0;
  let weights = 0;
  for (let row = first; row < end; row++) {
    const next = value(row);
    if (Number.isNaN(next)) continue;
    if (at < 0 || keep === "last" || (keep === "max" && next > y)) {
      at = row;
      y = next;
    }
    const counts = weight ? weight(row) || LEAST_WEIGHT : 1;
    sum += counts * next;
    weights += counts;
  }
  return at < 0 ? null : { x: source.time(at), y: keep === "mean" ? sum / weights : y };
}

export function decimate(
  source: Source,
  measure: Measure,
  from: number,
  to: number,
  buckets: number,
  out: Point[] = [],
): Point[] {
  out.length = 0;
  if (source.length === 0 || !(to > from)) return out;
  // Includes one row beyond each edge, so that the line reaches the edge of the chart.
  const last = Math.min(source.length, source.indexAt(to) + 1);
  const width = (to - from) / Math.max(1, buckets);
  let first = Math.max(0, source.indexAt(from) - 1);
  const whole = last - first <= buckets;
  while (first < last) {
    const bucket = Math.floor(source.time(first) / width);
    let end = first + 1;
    while (!whole && end < last && Math.floor(source.time(end) / width) === bucket) end++;
    const point = kept(source, measure, first, end);
    if (point) out.push(point);
    first = end;
  }
  return out;
}

/** The points that are farther than `gap` from both neighbours: no line leads to them. */
export function alone<P extends { x: number }>(points: readonly P[], gap: number): P[] {
  return points.filter((point, i) => {
    const [before, after] = [points[i - 1], points[i + 1]];
    return (!before || point.x - before.x > gap) && (!after || after.x - point.x > gap);
  });
}
