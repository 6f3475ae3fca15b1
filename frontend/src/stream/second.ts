/**
 * Folds what is streamed several times a second into one row a second, the step of the service's own history, so that
 * a line does not change its character where the past ends and the stream begins.
 */
import type { SeriesName } from "./live";
import type { LivePool } from "./schemas";

export type Row = Partial<Record<SeriesName, number | null>>;

type Measure = "meanMs" | "p50Ms" | "p95Ms" | "p99Ms" | "waitP99Ms";
/** The share of requests that is slower than the statistic. */
const ABOVE: Record<Measure, number> = { meanMs: 1, p50Ms: 0.5, p95Ms: 0.05, p99Ms: 0.01, waitP99Ms: 0.01 };
const MEASURES = Object.keys(ABOVE) as Measure[];
type Rate = "perSecond" | "errorsPerSecond" | "refusedPerSecond";
const RATES: readonly Rate[] = ["perSecond", "errorsPerSecond", "refusedPerSecond"];

export class SecondFold {
  #second = Number.NaN;
  #pools: LivePool[] = [];

  /** Takes a pool as it was at `time` (ms). Returns, stamped with its end as in the history, the second before, when this is the first of a new one. */
  add(time: number, pool: LivePool): { time: number; row: Row } | null {
    // A sample stamped on the full second speaks of the second that has just ended.
    const second = Math.floor((time - 1) / 1000);
    let done: { time: number; row: Row } | null = null;
    if (second !== this.#second) {
      if (this.#pools.length > 0 && second > this.#second)
        done = { time: (this.#second + 1) * 1000, row: fold(this.#pools) };
      this.#second = second;
      this.#pools = [];
    }
    this.#pools.push(pool);
    return done;
  }

  clear(): void {
    this.#second = Number.NaN;
    this.#pools = [];
  }
}

function fold(pools: readonly LivePool[]): Row {
  const last = pools.at(-1) as LivePool;
  const row: Row = {
    inUse: Math.max(...pools.map((p) => p.inUse)),
    waiting: Math.max(...pools.map((p) => p.waiting)),
    size: last.size,
    floor: last.floor,
    ceiling: last.ceiling,
  };
  const samples = pools.flatMap((p) => (p.sample ? [p.sample] : []));
  for (const name of MEASURES) {
    const known = samples.flatMap((s) => (s[name] == null ? [] : [{ value: s[name], n: Math.max(1, s.count) }]));
    row[name] = known.length === 0 ? null : statistic(known, ABOVE[name]);
  }
  const span = samples.reduce((ms, s) => ms + s.windowMs, 0);
  for (const name of RATES)
    row[name] = span > 0 ? samples.reduce((sum, s) => sum + (s[name] ?? 0) * s.windowMs, 0) / span : null;
  return row;
}

/**
 * The statistic of a second from those of its parts. With fewer than one request above a percentile it is the
 * slowest of all; with more it lies between the parts', so each counts by its requests.
 */
function statistic(parts: readonly { value: number; n: number }[], above: number): number {
  const total = parts.reduce((sum, { n }) => sum + n, 0);
  if (total * above <= 1) return Math.max(...parts.map(({ value }) => value));
  return parts.reduce((sum, { value, n }) => sum + value * n, 0) / total;
}
