/** The charts of a replay: what happened, what the model makes of the set in force, and what it makes of the draft. */
import type { ReplayOutcome } from "@/api/types";
import type { Xy, XyLine } from "@/charts/xy";
import { duration } from "@/format/format";
import { missOf, modelName, REPLAYED } from "@/policy/replayed";
import type { Statistic } from "@/policy/summary";

type Second = ReplayOutcome["second"][number];
type Miss = ReplayOutcome["fit"]["misses"][number];
type Columns = { miss: Miss["figure"]; actual: keyof Second; baseline: keyof Second; replayed: keyof Second };

const WAITS: Columns = {
  miss: "waits",
  actual: "actualWaitP99Ms",
  baseline: "baselineWaitP99Ms",
  replayed: "waitP99Ms",
};

/**
 * Waits and latencies second by second. None of a replay without a second that counts.
 *
 * @param settling so many seconds at the begin do not count: policies learn there
 * @param statistics of the latency
 * @param candidate how the draft is called
 */
export function replayCharts(
  outcome: Pick<ReplayOutcome, "domain" | "second" | "fit">,
  settling: number,
  statistics: readonly Statistic[],
  candidate = "draft",
): Xy[] {
  const { domain } = outcome;
  const counted = outcome.second.slice(settling);
  if (counted.length === 0) return [];
  const x = counted.map((_, i) => settling + i + 1);
  const chart = (title: string, { miss: figure, actual, baseline, replayed }: Columns): Xy => {
    const of = (column: keyof Second) => counted.map((each) => each[column]);
    const miss = missOf(outcome, figure);
    const draft: Pick<XyLine, "name" | "style" | "paler"> = miss?.usable
      ? { name: candidate, style: "line" }
      : { name: `${candidate} (cannot be used)`, style: "dashed", paler: true };
    const lines: XyLine[] = [
      { name: "actual", style: "line", x, y: of(actual), slot: 1, paler: true },
      { name: modelName(miss), style: "dashed", x, y: of(baseline), slot: 2 },
      { ...draft, x, y: of(replayed), slot: 0 },
    ];
    return {
      title: `${title} in ${domain}, second by second`,
      x: { title: "second", unit: "", logarithmic: false },
      y: { title, unit: "ms", logarithmic: false },
      lines,
      sentence: `At most: ${lines.map(({ name, y }) => `${name} ${duration(Math.max(...y))}`).join(", ")}.`,
    };
  };
  return [
    chart("wait p99", WAITS),
    ...statistics.map((statistic) => chart(`latency ${statistic}`, REPLAYED[statistic])),
  ];
}
