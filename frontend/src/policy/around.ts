/** The time around an instant: what the decisions of a moment on a chart are, and the charts around a decision. */

/** To either side. */
const DECISIONS_MS = 60_000;
const CHARTS_MS = 5 * 60_000;

/** An instant of the address in ms since 1970, or null. */
export function momentOf(at: string | undefined): number | null {
  const time = Date.parse(at ?? "");
  return Number.isNaN(time) ? null : time;
}

export const decisionsAround = (time: number) => ({ from: time - DECISIONS_MS, to: time + DECISIONS_MS });

/** The fixed range of a domain's page around an instant, in whole seconds and not beyond now. */
export function chartsAround(time: number, now: number): { from: string; to: string } {
  const second = (ms: number) => new Date(Math.floor(ms / 1_000) * 1_000).toISOString().replace(".000Z", "Z");
  return { from: second(time - CHARTS_MS), to: second(Math.min(time + CHARTS_MS, Math.max(now, time + 1_000))) };
}
