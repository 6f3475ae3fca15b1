/** What a chart shows, in words and as a table. */
import { decimate, type Keep } from "./decimate";
import type { RingBuffer } from "./ringBuffer";

type Lines<C extends string> = readonly { column: C; label: string; keep: Keep }[];
type Source<C extends string> = { series: RingBuffer<C>; until: number; spanMs: number };

/** The values of every line in one interval, which ends at `time`. NaN where nothing was measured. */
export type ValueRow = { time: number; values: number[] };

/** The shown span as at most `most` rows of equal intervals, the newest first. Each value is what the chart keeps of it. */
export function valueRows<C extends string>(lines: Lines<C>, source: Source<C>, most = 30): ValueRow[] {
  const { series, until, spanMs } = source;
  const step = spanMs / most;
  const rows: ValueRow[] = [];
  for (let time = until; time > until - spanMs + step / 2; time -= step) {
    const first = series.indexAt(time - step);
    const end = series.indexAt(time);
    const values = lines.map(({ column, keep }) => kept(series, column, first, end, keep));
    if (values.some((value) => !Number.isNaN(value))) rows.push({ time, values });
  }
  return rows;
}

function kept<C extends string>(series: RingBuffer<C>, column: C, first: number, end: number, keep: Keep): number {
  let result = Number.NaN;
  let n = 0;
  for (let row = first; row < end; row++) {
    const value = series.value(column, row);
    if (Number.isNaN(value)) continue;
    n++;
    if (n === 1 || keep === "last") result = value;
    else result = keep === "max" ? Math.max(result, value) : result + (value - result) / n;
  }
  return result;
}

/**
 * "p50 3.1 ms now, single values from 2 ms to 9 ms": each line's newest value, and its least and greatest in the shown span.
 * A row of the table may be a mean of several.
 */
export function sentenceOf<C extends string>(
  lines: Lines<C>,
  source: Source<C>,
  format: (value: number) => string,
): string {
  const { series, until, spanMs } = source;
  const said = lines.map(({ column, label, keep }) => {
    const points = decimate(series, (row) => series.value(column, row), until - spanMs, until, 120, keep).map(
      (p) => p.y,
    );
    const now = points.at(-1);
    if (now === undefined) return `${label} not measured`;
    const [least, most] = [Math.min(...points), Math.max(...points)].map(format);
    return least === most
      ? `${label} ${most} throughout`
      : `${label} ${format(now)} now, single values from ${least} to ${most}`;
  });
  return `${said.join("; ")}.`;
}
