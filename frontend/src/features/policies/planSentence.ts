import type { Plan, ReplayOutcome } from "@/api/types";
import { count, duration } from "@/format/format";
import { missOf, REPLAYED } from "@/policy/replayed";
import type { Statistic } from "@/policy/summary";

/**
 * A plan without faults in one line, for the place beside the button: the limits and what is predicted.
 *
 * @param statistics of the latency
 */
export function planSentence(
  plan: Plan | undefined,
  predicted: ReplayOutcome | undefined,
  statistics: readonly Statistic[],
): string | null {
  if (!plan) return null;
  const { violations, now, planned } = plan;
  if (violations.length > 0 || !planned) return null;
  const limits = [from("floor", now?.floor, planned.floor), from("ceiling", now?.ceiling, planned.ceiling)].join(", ");
  return `Plan: ${limits}${predicted ? `. ${predictionOf(predicted, statistics)}` : "."}`;
}

function from(name: string, now: number | null | undefined, planned: number | null | undefined): string {
  const to = planned == null ? "none" : count(planned);
  return now === planned || now === undefined
    ? `${name} stays ${to}`
    : `${name} ${now == null ? "none" : count(now)} → ${to}`;
}

/** Only the figures for which the model can be used. */
function predictionOf(outcome: ReplayOutcome, statistics: readonly Statistic[]): string {
  const { actual, replayed } = outcome;
  const said = [
    missOf(outcome, "waits")?.usable && `wait p99 ${duration(actual.waitP99Ms)} → ${duration(replayed.waitP99Ms)}`,
    ...statistics.map((statistic) => {
      const { miss, figure } = REPLAYED[statistic];
      return (
        missOf(outcome, miss)?.usable && `${statistic} ${duration(actual[figure])} → ${duration(replayed[figure])}`
      );
    }),
    missOf(outcome, "refused")?.usable &&
      replayed.refused !== actual.refused &&
      `refused ${count(actual.refused)} → ${count(replayed.refused)}`,
  ].filter((text) => typeof text === "string");
  return said.length === 0 ? "What it would do to this load cannot be predicted." : `Predicted: ${said.join(", ")}.`;
}
