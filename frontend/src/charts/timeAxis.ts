import { clock, type Zone } from "@/format/format";

const STEPS = [5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600].map((s) => s * 1000);

export type Tick = { value: number; label: string };

/** Round times between `from` and `to`, as many as the width can carry (about one per 72 px). */
export function timeTicks(from: number, to: number, width: number, zone: Zone): Tick[] {
  const span = to - from;
  if (!(span > 0) || width <= 0) return [];
  const most = Math.max(2, Math.floor(width / 72));
  const step = STEPS.find((s) => span / s <= most) ?? (STEPS.at(-1) as number);
  const ticks: Tick[] = [];
  for (let value = Math.ceil(from / step) * step; value <= to; value += step)
    ticks.push({ value, label: clock(value, zone, step < 60_000) });
  return ticks;
}

/** A calm upper end for a value axis: 1, 2, 2.5 or 5 times a power of ten, at or above `max`. */
export function niceMax(max: number, least = 1): number {
  const wanted = Math.max(least, Number.isFinite(max) ? max : 0);
  const power = 10 ** Math.floor(Math.log10(wanted));
  for (const factor of [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10]) if (factor * power >= wanted * 0.9999) return factor * power;
  return wanted;
}

/**
 * The axis end to show now, given the one shown: grows at once, shrinks only when the data has fallen under half,
 * so that the scale does not breathe with every frame.
 */
export function steadyMax(shown: number | undefined, max: number, least = 1): number {
  const wanted = niceMax(max * 1.08, least);
  if (shown === undefined || wanted > shown) return wanted;
  return wanted <= shown * 0.5 ? wanted : shown;
}
