/** Short descriptions of policy sets and their latency caps, for charts and tables. */
import type { PolicySet, PolicySetRevision } from "@/api/types";
import { duration } from "@/format/format";

type Parameters = Record<string, unknown> | null | undefined;

const finite = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);

/** "latency-cap ≤ 20 ms (p99)", "min-max 2…20", "tiers: 2 + up to 6"; only the plugin's name for a plugin we do not know. */
export function summary(plugin: string, parameters: Parameters): string {
  const p = parameters ?? {};
  if (plugin === "latency-cap" && finite(p.maxLatencyMs))
    return `latency-cap ≤ ${duration(p.maxLatencyMs)}${p.statistic ? ` (${p.statistic})` : ""}`;
  if (plugin === "min-max" && finite(p.max)) return `min-max ${finite(p.min) ? p.min : 0}…${p.max}`;
  if (plugin === "tiers") return tiers(finite(p.guaranteed) ? p.guaranteed : 0, p.borrowLimit);
  return plugin;
}

/** What is guaranteed, and what may be borrowed beyond it. A domain may hold both. */
function tiers(guaranteed: number, borrowLimit: unknown): string {
  if (!finite(borrowLimit)) return `tiers: ${guaranteed} guaranteed`;
  return guaranteed > 0 ? `tiers: ${guaranteed} + up to ${borrowLimit}` : `tiers: up to ${borrowLimit}`;
}

/** Of a plugin that the set uses several times, each use: "min-max 2…20 or min-max 4…8". */
export function summaryOf(set: PolicySet | undefined, plugin: string): string {
  const uses = set?.policies.filter((use) => use.plugin === plugin) ?? [];
  return uses.map((use) => summary(plugin, use.parameters)).join(" or ") || plugin;
}

export type Cap = { maxLatencyMs: number; statistic: string };

/** The latency caps of a set, by the name of their statistic: of several on one statistic the lowest, which is reached first. */
export function capsOf(set: PolicySet | undefined): Cap[] {
  const lowest = new Map<string, number>();
  for (const { plugin, parameters } of set?.policies ?? []) {
    const max = parameters?.maxLatencyMs;
    if (plugin !== "latency-cap" || !finite(max)) continue;
    const statistic = String(parameters?.statistic ?? "mean");
    lowest.set(statistic, Math.min(max, lowest.get(statistic) ?? max));
  }
  return [...lowest].map(([statistic, maxLatencyMs]) => ({ maxLatencyMs, statistic }));
}

const STATISTICS = ["mean", "p95", "p99"] as const;
export type Statistic = (typeof STATISTICS)[number];

/** The statistics of caps in one order: those that are to be drawn beside them. The mean without a cap. */
export function cappedStatistics(...caps: readonly Pick<Cap, "statistic">[]): Statistic[] {
  const capped = STATISTICS.filter((each) => caps.some(({ statistic }) => statistic === each));
  return capped.length > 0 ? capped : ["mean"];
}

export type CapSpan = { from: number; to: number; y: number; name: string; label: string; statistic: string };

type Revision = Pick<PolicySetRevision, "createdAt" | "policySet">;

/**
 * The caps of each revision with the time they were in force: one statistic after the other, each with the oldest first. The last ones
 * have no end. `of` is the database, of its set.
 */
export function capSpans(revisions: readonly Revision[], of?: string): CapSpan[] {
  const oldestFirst = revisions
    .map((r) => ({ at: r.createdAt ? Date.parse(r.createdAt) : 0, caps: capsOf(r.policySet) }))
    .sort((a, b) => a.at - b.at);
  const owner = of ? `cap of ${of}` : "cap";
  const byStatistic = new Map<string, CapSpan[]>();
  oldestFirst.forEach(({ at, caps }, i) => {
    const to = oldestFirst[i + 1]?.at ?? Number.MAX_SAFE_INTEGER;
    for (const { maxLatencyMs: y, statistic } of caps) {
      const spans = byStatistic.get(statistic) ?? [];
      byStatistic.set(statistic, spans);
      const last = spans.at(-1);
      if (last?.to === at && last.y === y) last.to = to;
      else
        spans.push({
          from: at,
          to,
          y,
          name: `${owner} (${statistic})`,
          label: `${owner} ${duration(y)} (${statistic})`,
          statistic,
        });
    }
  });
  return [...byStatistic.values()].flat();
}

/** The caps that were in force in a range. */
export const capsWithin = <S extends { from: number; to: number }>(spans: readonly S[], from: number, until: number) =>
  spans.filter((span) => span.from < until && span.to > from);
