import { clock, stamp, type Zone } from "@/format/format";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const STEPS = [
  ...[5, 10, 15, 30, 40, 60, 120, 300, 600, 900, 1800].map((s) => s * 1000),
  ...[1, 2, 3, 6, 12].map((h) => h * HOUR),
  ...[1, 2, 5, 10, 20, 50].map((d) => d * DAY),
];

export type Tick = { value: number; label: string };

/** Round times between `from` and `to`, as many as fit into the width (about one per 72 px). At midnight it is the date. */
export function timeTicks(from: number, to: number, width: number, zone: Zone): Tick[] {
  const span = to - from;
  if (!(span > 0) || width <= 0) return [];
  const most = Math.max(2, Math.floor(width / 72));
  const step = STEPS.find((s) => span / s <= most) ?? (STEPS.at(-1) as number);
  const ticks: Tick[] = [];
  const ahead = (time: number) => (zone === "utc" ? 0 : -new Date(time).getTimezoneOffset() * 60_000);
  const first = ahead(from);
  // In steps of the clock's time. Between long ones the clock may be put forward or back, and a time that it leaves out has no tick.
  for (let time = Math.ceil((from + first) / step) * step; ; time += step) {
    const value = time - (step > HOUR ? ahead(time - first) : first);
    if (value > to) break;
    if (step > HOUR && value + ahead(value) !== time) continue;
    const midnight = step >= HOUR && clock(value, zone) === "00:00:00";
    ticks.push({ value, label: midnight ? stamp(value, zone).slice(5, 10) : clock(value, zone, step < 60_000) });
  }
  return ticks;
}

const FACTORS = [1, 2, 2.5, 5, 10];

/** The step of a value axis with about `steps` steps up to `max`: 1, 2, 2.5 or 5 times a power of ten. */
export function niceStep(max: number, steps: number, whole = false): number {
  const wanted = Math.max(max / steps, Number.MIN_VALUE);
  const power = 10 ** Math.floor(Math.log10(wanted));
  const step = (FACTORS.find((factor) => factor * power >= wanted * 0.9999) ?? 10) * power;
  return whole ? Math.max(1, Math.ceil(step)) : step;
}

/**
 * The upper end of a value axis that may clip single spikes: 1.3 times the values' 99th percentile, at most the
 * greatest value, and at least 1.5 times the cap.
 */
export function robustMax(values: readonly number[], cap = 0): number {
  if (values.length === 0) return cap * 1.5;
  const sorted = Float64Array.from(values).sort();
  const p99 = sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * 0.99) - 1)] as number;
  const greatest = sorted[sorted.length - 1] as number;
  return Math.max(cap * 1.5, Math.min(greatest, p99 * 1.3));
}

export type ValueAxis = { max: number; step: number };

/**
 * The next value axis, given the current one. It grows at once and shrinks only when the data falls below half of it,
 * so that the scale does not change with every frame. It always ends at a whole number of steps.
 *
 * @param most what no value exceeds, such as the whole of a share: the axis needs no room above it
 */
export function steadyAxis(
  shown: ValueAxis | undefined,
  max: number,
  steps: number,
  least = 1,
  whole = false,
  most = Number.POSITIVE_INFINITY,
): ValueAxis {
  const wanted = Math.min(most, Math.max(least, Number.isFinite(max) ? max * 1.06 : 0));
  if (shown && wanted <= shown.max && wanted > shown.max * 0.5) return shown;
  const step = niceStep(wanted, steps, whole);
  return { max: Math.ceil(wanted / step - 1e-9) * step, step };
}

export type LogAxis = { min: number; max: number; ticks: number[] };

/** How much of a log axis may be empty at its ends before it shrinks. */
const SLACK = 25;

/**
 * The next logarithmic axis, given the current one: from a power of ten to 1, 2 or 5 times one. It grows at once and
 * shrinks late. Up to two decades have ticks in between.
 */
export function logAxis(shown: LogAxis | undefined, least: number, most: number): LogAxis {
  if (!(least > 0 && least < Number.POSITIVE_INFINITY) || !Number.isFinite(most))
    return shown ?? logAxis(undefined, 1, 100);
  if (shown && least >= shown.min && least < shown.min * SLACK && most <= shown.max && most > shown.max / SLACK)
    return shown;
  const first = Math.floor(Math.log10(least) + 1e-9);
  const min = 10 ** first;
  const wanted = Math.max(most, min * 5);
  const steps: number[] = [];
  for (let power = first; steps.length === 0 || (steps.at(-1) as number) < wanted * 0.9999; power++)
    for (const factor of [1, 2, 5]) if ((steps.at(-1) ?? 0) < wanted * 0.9999) steps.push(round(factor * 10 ** power));
  const max = steps.at(-1) as number;
  const ticks = max / min <= 100 ? steps : steps.filter((step) => isPower(step));
  return { min, max, ticks };
}

const round = (value: number) => Number(value.toPrecision(6));
const isPower = (value: number) => Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-6;
