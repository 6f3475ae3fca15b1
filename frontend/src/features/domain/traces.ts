/** Dashed lines of the charts: what a draft or a shadow set would have done. */
import type { Decision, ReplayOutcome, ReplayResult, ShadowSet } from "@/api/types";
import type { Trace } from "@/charts/overlay";
import { missOf, modelName, REPLAYED } from "@/policy/replayed";
import type { Statistic } from "@/policy/summary";

type Second = ReplayOutcome["second"][number];

type Predicted = {
  /** Whose error tells whether the model can be used. */
  miss: ReplayOutcome["fit"]["misses"][number]["figure"];
  name: string;
  color: string;
  stepped?: boolean;
  baseline: keyof Second;
  replayed: keyof Second;
};

/** As the lines that are measured. */
const COLORS: Record<Statistic, string> = { mean: "--c3", p95: "--c5", p99: "--c2" };

/** A draft's prediction of these statistics of the latency. */
export const predictedLatency = (prediction: ReplayResult | null, statistics: readonly Statistic[]): Trace[] =>
  statistics.flatMap((each) => tracesOf(prediction, { ...REPLAYED[each], name: each, color: COLORS[each] }));

export const predictedSize = (prediction: ReplayResult | null): Trace[] =>
  tracesOf(prediction, {
    miss: "connections",
    name: "open",
    color: "--c3",
    stepped: true,
    baseline: "baselineSize",
    replayed: "size",
  });

/**
 * What the model makes of the set in force, to be seen beside what happened, and of the draft, second by second. None where it misses
 * what happened.
 */
function tracesOf(
  prediction: ReplayResult | null,
  { miss: figure, name, color, stepped, baseline, replayed }: Predicted,
): Trace[] {
  const outcome = prediction?.domains[0];
  const miss = outcome && missOf(outcome, figure);
  if (!prediction || !outcome || !miss?.usable) return [];
  const from = Date.parse(prediction.from);
  const points = (column: keyof Second) =>
    outcome.second
      .map((second, i) => ({ x: from + 1_000 * (i + 1), y: second[column] }))
      .slice(prediction.settlingSeconds);
  const drawn = { color, ...(stepped && { stepped }) };
  return [
    {
      ...drawn,
      label: `${modelName(miss)}, ${name}`,
      end: `model, ${Math.round(miss.percent)} % off`,
      finer: true,
      points: points(baseline),
    },
    { ...drawn, label: `predicted ${name}`, points: points(replayed) },
  ];
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
