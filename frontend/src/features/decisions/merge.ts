import type { Decision } from "@/api/types";
import { decisionsAround, momentOf } from "@/policy/around";
import { pluginOf } from "@/policy/attribution";
import { DECISIONS } from "@/stream/live";

const last = (d: Decision) => Date.parse(d.lastTime ?? d.time);

export type LogFilter = { domain?: string; database?: string; kind?: string; policy?: string; q?: string; at?: string };

/** As the service filters. */
export function matches(d: Decision, { domain, database, kind, policy, q, at }: LogFilter): boolean {
  const moment = momentOf(at);
  if (moment !== null) {
    const { from, to } = decisionsAround(moment);
    if (last(d) < from || Date.parse(d.time) >= to) return false;
  }
  if (domain && d.domain !== domain) return false;
  if (database && d.database !== database) return false;
  if (kind && d.kind !== kind) return false;
  if (policy && d.policy !== policy && pluginOf(d.policy) !== policy) return false;
  const text = [d.message, d.policy, d.kind, d.domain ?? "", d.database].join(" ");
  return !q || text.toLowerCase().includes(q.toLowerCase());
}

/**
 * Whether the stream has told so much since the stored decisions were read that it will soon forget the first of it: between the two
 * some would be missing. `live` is the newest first.
 */
export function isOutrun(live: readonly Decision[], readAt: number): boolean {
  const middle = live[DECISIONS / 2];
  return middle !== undefined && last(middle) > readAt;
}

/** Merges stored pages with decisions from the stream, newest first. Of two with the same id the later one counts. */
export function mergeLog(stored: readonly Decision[], live: readonly Decision[], filter: LogFilter): Decision[] {
  const byId = new Map<string, Decision>();
  // A live decision older than all stored ones belongs to a page that is not loaded yet.
  const oldest = stored.length > 0 ? Math.min(...stored.map(last)) : Number.NEGATIVE_INFINITY;
  for (const d of stored) byId.set(d.id, d);
  for (const d of live) {
    const known = byId.get(d.id);
    if (known ? d.count >= known.count : last(d) >= oldest) byId.set(d.id, d);
  }
  return [...byId.values()].filter((d) => matches(d, filter)).sort((a, b) => last(b) - last(a));
}
