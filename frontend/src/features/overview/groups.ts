/** The groups of a list of domains: by database, by tier, or by a label. Pure. */
import { byName } from "@/format/names";
import type { Standing } from "@/stream/schemas";

/** As the address has it; `label:team` is by the label `team`. */
export type Grouping = "database" | "tier" | `label:${string}`;

const LABEL = "label:";

/** What an address asks for. Anything else is no groups. */
export function groupingOf(text: string | undefined): Grouping | undefined {
  return text === "database" || text === "tier" || text?.startsWith(LABEL) ? (text as Grouping) : undefined;
}

export const byLabel = (name: string): Grouping => `label:${name}`;

/** The name of the label that groups; null for another grouping. */
export const labelOf = (by: Grouping): string | null => (by.startsWith(LABEL) ? by.slice(LABEL.length) : null);

/** The names of the domains' labels, each once. */
export function labelNames(domains: readonly Standing[]): string[] {
  return [...new Set(domains.flatMap(({ labels }) => Object.keys(labels)))].sort(byName);
}

function groupOf({ database, tier, labels }: Standing, by: Grouping): string | null | undefined {
  if (by === "database") return database;
  if (by === "tier") return tier;
  const name = labelOf(by) ?? "";
  return Object.hasOwn(labels, name) ? labels[name] : null; // "constructor" is a name, too
}

export type Group<T> = { name: string; members: T[] };

/** Groups of what is in order already. A group stands where its first member does, so trouble stays on top. */
export function grouped<T extends Standing>(ordered: readonly T[], by: Grouping): Group<T>[] {
  const groups = new Map<string, T[]>();
  for (const each of ordered) {
    const name = groupOf(each, by) ?? `no ${labelOf(by) ?? by}`;
    const members = groups.get(name);
    if (members) members.push(each);
    else groups.set(name, [each]);
  }
  return [...groups].map(([name, members]) => ({ name, members }));
}
