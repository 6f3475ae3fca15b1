/** Dashed lines of the charts: what a draft or a shadow set would have done. */
import type { Decision, ReplayResult, ShadowSet } from "@/api/types";
import type { Trace } from "@/charts/overlay";

type Figure = "latency" | "connections";

/** A draft's prediction of one figure, second by second. None where the model misses what happened. */
export function predictedTrace(prediction: ReplayResult | null, figure: Figure): Trace[] {
  const outcome = prediction?.domains[0];
  if (!prediction || !outcome?.fit.misses.some((miss) => miss.figure === figure && miss.usable)) return [];
  const from = Date.parse(prediction.from);
  const counted = outcome.second.map((second, i) => ({ second, x: from + 1_000 * (i + 1) }));
  const points = counted
    .slice(prediction.settlingSeconds)
    .map(({ second, x }) => ({ x, y: figure === "latency" ? second.meanMs : second.size }));
  return figure === "latency"
    ? [{ label: "predicted mean", color: "--c3", points }]
    : [{ label: "predicted open", color: "--c3", stepped: true, points }];
}

/**
 * The ceiling that the shadow set would have held, from its first difference on.
 *
 * @param decisions of kind "shadow", newest first
 * @param until the end of the chart
 * @param moves whether that is now, and so what the shadow set answers last is known
 */
export function shadowTrace(
  shadow: ShadowSet | null,
  decisions: readonly Decision[],
  budget: number,
  until: number,
  moves: boolean,
): Trace[] {
  if (!shadow?.shadow) return [];
  const since = Date.parse(shadow.createdAt);
  const points = decisions
    .map((decision) => ({ x: Date.parse(decision.time), y: Math.min(budget, decision.after.ceiling ?? budget) }))
    .filter((point) => point.x >= since)
    .sort((a, b) => a.x - b.x);
  const last = moves ? Math.min(budget, shadow.shadow.ceiling) : points.at(-1)?.y;
  if (last === undefined) return [];
  const named = { label: "shadow ceiling", end: `shadow ${last}`, color: "--c5", stepped: true };
  return [{ ...named, points: [...points, { x: until, y: last }] }];
}
