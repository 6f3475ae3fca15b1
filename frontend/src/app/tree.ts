/** The rows of the navigation's tree: databases with their domains, as a flat list that can be drawn in part. Pure. */
import type { Database, Health } from "@/api/types";
import { byName } from "@/format/names";
import type { Standing } from "@/stream/schemas";
import { fits } from "@/ui/findDomains";
import { isTrouble } from "@/ui/health";

export type TreeRow =
  | { kind: "database"; name: string; domains: number; troubled: number; open: boolean; health: Health | undefined }
  | { kind: "domain"; name: string; domain: Standing; level: 1 | 2 };

/**
 * Databases with their states and domains, by name. One database needs no level of its own. While there is a filter, every database with a
 * domain that fits is open.
 */
export function treeOf(
  domains: readonly Standing[],
  states: readonly Pick<Database, "name" | "health">[],
  closed: ReadonlySet<string>,
  filter: string,
): TreeRow[] {
  const filtered = filter.trim() !== "";
  const byDatabase = new Map<string, Standing[]>();
  const databases = new Set<string>();
  for (const domain of domains) {
    databases.add(domain.database);
    if (!fits(domain, filter)) continue;
    const its = byDatabase.get(domain.database);
    if (its) its.push(domain);
    else byDatabase.set(domain.database, [domain]);
  }
  const rows: TreeRow[] = [];
  for (const name of [...byDatabase.keys()].sort(byName)) {
    const its = [...(byDatabase.get(name) ?? [])].sort((a, b) => byName(a.domain, b.domain));
    const open = filtered || !closed.has(name);
    if (databases.size > 1)
      rows.push({
        kind: "database",
        name,
        domains: its.length,
        troubled: its.filter((domain) => isTrouble(domain.health)).length,
        open,
        health: states.find((each) => each.name === name)?.health,
      });
    if (open || databases.size === 1)
      for (const domain of its)
        rows.push({ kind: "domain", name: domain.domain, domain, level: databases.size > 1 ? 2 : 1 });
  }
  return rows;
}

/** The row that a key leads to from a row; -1 if there is none. */
export function rowAfter(rows: readonly TreeRow[], from: number, key: string): number {
  switch (key) {
    case "ArrowDown":
      return from + 1 < rows.length ? from + 1 : -1;
    case "ArrowUp":
      return from - 1;
    case "Home":
      return rows.length > 0 ? 0 : -1;
    case "End":
      return rows.length - 1;
    case "ArrowLeft":
      return rows.slice(0, from).findLastIndex((row) => row.kind === "database");
    default:
      return -1;
  }
}

/** The next row from `from` on, around the end, whose name begins with what was typed; -1 if there is none. */
export function rowTyped(rows: readonly TreeRow[], from: number, typed: string): number {
  const start = typed.length > 1 ? from : from + 1;
  for (let step = 0; step < rows.length; step++) {
    const at = (start + step) % rows.length;
    if (rows[at]?.name.startsWith(typed)) return at;
  }
  return -1;
}
