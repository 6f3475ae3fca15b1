/** The versions of plugins: how they stand side by side, and what may be done with each. Pure. */
import type { Adoption, PolicyPlugin } from "@/api/types";

/** The service reads no larger ones. */
export const MOST_BYTES = 16 * 1024 * 1024;

export type Group = {
  readonly id: string;
  /** Newest first; never empty. */
  readonly versions: readonly PolicyPlugin[];
};

/** One group per id, in the order of the ids. The service lists versions from the oldest to the newest. */
export function groups(plugins: readonly PolicyPlugin[]): Group[] {
  const byId = new Map<string, PolicyPlugin[]>();
  for (const plugin of plugins) byId.set(plugin.id, [plugin, ...(byId.get(plugin.id) ?? [])]);
  return [...byId].map(([id, versions]) => ({ id, versions }));
}

/** Who would move to this version: the users of those that are older. */
export function movable(group: Group, plugin: PolicyPlugin): string[] {
  const at = group.versions.findIndex((other) => other.version === plugin.version);
  return [...new Set(group.versions.slice(at + 1).flatMap((older) => older.usedBy))].sort();
}

/** Why a version cannot be removed now, or null. */
export function keptBecause(plugin: PolicyPlugin): string | null {
  if (plugin.builtIn) return "ships with the service";
  if (plugin.usedBy.length > 0) return `used by ${plugin.usedBy.join(", ")}`;
  return null;
}

/** What came of a move, in a sentence or two. */
export function told(adoptions: readonly Adoption[], version: string): string {
  const moved = adoptions.filter((a) => a.outcome === "adopted");
  const refused = adoptions.filter((a) => a.outcome === "refused");
  const parts = [
    moved.length > 0
      ? `Moved to ${version}: ${moved.map((a) => `${a.domain} (rev ${a.revision})`).join(", ")}.`
      : "No set was moved.",
    ...refused.map((a) => `${a.domain} keeps ${a.from.join(", ")}: ${a.reason ?? "it was refused"}.`),
  ];
  return parts.join(" ");
}

/** Why a file need not be sent, or null. What is in it is for the service to judge. */
export function unfit(file: { name: string; size: number }): string | null {
  if (!file.name.endsWith(".jar")) return `${file.name} is not a jar.`;
  if (file.size > MOST_BYTES) return `${file.name} is larger than 16 MiB.`;
  return null;
}

/** Enough of a hash to compare by eye. */
export const short = (sha256: string) => sha256.slice(0, 12);

/** A user as the service writes it: a domain's name, or "database/main". */
export function userOf(user: string): { kind: "domain" | "database"; name: string } {
  return user.startsWith("database/")
    ? { kind: "database", name: user.slice("database/".length) }
    : { kind: "domain", name: user };
}
