/** What a wall shows: the domains in trouble with their sentences, and beside them the busiest. Pure. */
import { byName } from "@/format/names";
import type { PoolRow } from "@/stream/schemas";
import { byTrouble } from "@/ui/findDomains";
import { isTrouble } from "@/ui/health";

export type WallRows = { troubled: PoolRow[]; calm: PoolRow[]; more: { troubled: number; calm: number } };

/** Trouble takes the room first; at least one domain in trouble is shown whatever the room. */
export function wallRows(rows: readonly PoolRow[], room: number): WallRows {
  const ordered = [...rows].sort(byTrouble);
  const troubled = ordered.filter((row) => isTrouble(row.health));
  const calm = ordered
    .filter((row) => !isTrouble(row.health))
    .sort((a, b) => b.inUse - a.inUse || b.latency.perSecond - a.latency.perSecond || byName(a.domain, b.domain));
  const shown = troubled.slice(0, Math.max(1, room));
  const beside = calm.slice(0, Math.max(0, room - shown.length));
  return {
    troubled: shown,
    calm: beside,
    more: { troubled: troubled.length - shown.length, calm: calm.length - beside.length },
  };
}
