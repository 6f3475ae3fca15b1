/** Short descriptions of policy sets and their latency caps, for charts and tables. */
import type { PolicySet, PolicySetRevision } from "@/api/types";

type Parameters = Record<string, unknown> | null | undefined;

const finite = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);

/** "latency-cap ≤ 20 ms", "min-max 2…20", "tiers: 2 + up to 6"; only the plugin's name for a plugin we do not know. */
export function summary(plugin: string, parameters: Parameters): string {
  const p = parameters ?? {};
  if (plugin === "latency-cap" && finite(p.maxLatencyMs)) return `latency-cap ≤ ${p.maxLatencyMs} ms`;
  if (plugin === "min-max" && finite(p.max)) return `min-max ${finite(p.min) ? p.min : 0}…${p.max}`;
  if (plugin === "tiers") return tiers(finite(p.guaranteed) ? p.guaranteed : 0, p.borrowLimit);
  return plugin;
}

/** What is guaranteed, and what may be borrowed beyond it. A domain may hold both. */
function tiers(guaranteed: number, borrowLimit: unknown): string {
  if (!finite(borrowLimit)) return `tiers: ${guaranteed} guaranteed`;
  return guaranteed > 0 ? `tiers: ${guaranteed} + up to ${borrowLimit}` : `tiers: up to ${borrowLimit}`;
}

export function summaryOf(set: PolicySet | undefined, plugin: string): string {
  const use = set?.policies.find((p) => p.plugin === plugin);
  return use ? summary(plugin, use.parameters) : plugin;
}

export type Cap = { maxLatencyMs: number; statistic: string };

/** The latency cap of a set: the lowest if there are several. */
export function capOf(set: PolicySet | undefined): Cap | null {
  let cap: Cap | null = null;
  for (const { plugin, parameters } of set?.policies ?? []) {
    const max = parameters?.maxLatencyMs;
    if (plugin !== "latency-cap" || !finite(max)) continue;
    if (cap === null || max < cap.maxLatencyMs)
      cap = { maxLatencyMs: max, statistic: String(parameters?.statistic ?? "mean") };
  }
  return cap;
}

export type CapSpan = { from: number; to: number; y: number; name: string; label: string; statistic: string };

type Revision = Pick<PolicySetRevision, "createdAt" | "policySet">;

/** Each revision's cap with the time it was in force, the oldest first. The last one has no end. `of` is the database, of its set. */
export function capSpans(revisions: readonly Revision[], of?: string): CapSpan[] {
  const oldestFirst = revisions
    .map((r) => ({ at: r.createdAt ? Date.parse(r.createdAt) : 0, cap: capOf(r.policySet) }))
    .sort((a, b) => a.at - b.at);
  const owner = of ? `cap of ${of}` : "cap";
  const spans: CapSpan[] = [];
  oldestFirst.forEach(({ at, cap }, i) => {
    if (!cap) return;
    const last = spans.at(-1);
    const { maxLatencyMs: y, statistic } = cap;
    const to = oldestFirst[i + 1]?.at ?? Number.MAX_SAFE_INTEGER;
    if (last?.to === at && last.y === y && last.statistic === statistic) last.to = to;
    else
      spans.push({
        from: at,
        to,
        y,
        name: `${owner} (${statistic})`,
        label: `${owner} ${y} ms (${statistic})`,
        statistic,
      });
  });
  return spans;
}

/** The caps that were in force in a range. */
export const capsWithin = <S extends { from: number; to: number }>(spans: readonly S[], from: number, until: number) =>
  spans.filter((span) => span.from < until && span.to > from);
