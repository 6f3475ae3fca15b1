import type { Plan, ReplayOutcome } from "@/api/types";
import { count, duration } from "@/format/format";

/** A plan without faults in one line, for the place beside the button: the limits and what is predicted. */
export function planSentence(plan: Plan | undefined, predicted: ReplayOutcome | undefined): string | null {
  if (!plan) return null;
  const { violations, now, planned } = plan;
  if (violations.length > 0 || !planned) return null;
  const limits = [from("floor", now?.floor, planned.floor), from("ceiling", now?.ceiling, planned.ceiling)].join(", ");
  return `Plan: ${limits}${predicted ? `. ${predictionOf(predicted)}` : "."}`;
}

function from(name: string, now: number | null | undefined, planned: number | null | undefined): string {
  const to = planned == null ? "none" : count(planned);
  return now === planned || now === undefined
    ? `${name} stays ${to}`
    : `${name} ${now == null ? "none" : count(now)} → ${to}`;
}

/** Only the figures for which the model can be used. */
function predictionOf({ actual, replayed, fit }: ReplayOutcome): string {
  const usable = new Set(fit.misses.filter((miss) => miss.usable).map((miss) => miss.figure));
  const said = [
    usable.has("waits") && `wait p99 ${duration(actual.waitP99Ms)} → ${duration(replayed.waitP99Ms)}`,
    usable.has("latency") && `mean ${duration(actual.meanMs)} → ${duration(replayed.meanMs)}`,
    usable.has("refused") &&
      replayed.refused !== actual.refused &&
      `refused ${count(actual.refused)} → ${count(replayed.refused)}`,
  ].filter((text) => text !== false);
  return said.length === 0 ? "What it would do to this load cannot be predicted." : `Predicted: ${said.join(", ")}.`;
}
