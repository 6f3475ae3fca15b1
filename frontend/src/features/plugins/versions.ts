/** Versions of plugins: groups them by id and says what may be done with each. Pure. */
import type { Adoption, PolicyPlugin } from "@/api/types";

/** The largest jar that the service accepts, in bytes. */
export const MOST_BYTES = 16 * 1024 * 1024;

export type Group = {
  readonly id: string;
  /** Newest first. Never empty. */
  readonly versions: readonly PolicyPlugin[];
};

/** One group per id, in the service's order. The service lists versions from the oldest to the newest. */
export function groups(plugins: readonly PolicyPlugin[]): Group[] {
  const byId = new Map<string, PolicyPlugin[]>();
  for (const plugin of plugins) byId.set(plugin.id, [plugin, ...(byId.get(plugin.id) ?? [])]);
  return [...byId].map(([id, versions]) => ({ id, versions }));
}

/** The users of older versions: they would move to this one. */
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

/** The sets that a version moves. */
export const moving = (adoptions: readonly Adoption[]): string[] =>
  adoptions.filter(isMove).map(({ domain }) => domain);

const isMove = ({ outcome }: Adoption) => outcome === "adopted";

/** The sets that stay with what they have, and why: one line for each. */
export const staying = (adoptions: readonly Adoption[]): string[] =>
  adoptions
    .filter((each) => !isMove(each))
    .map(({ domain, from, reason }) => `${domain} keeps ${from.join(", ")}: ${reason ?? "it was refused"}.`);

/** The parameters that change with a version although no set changes: one line for each. */
export function drifts(adoptions: readonly Adoption[]): string[] {
  return adoptions
    .filter(isMove)
    .flatMap(({ domain, parameters }) =>
      parameters.map(({ pointer, from, to }) => `${domain} ${pointer}: ${shown(from)} -> ${shown(to)}`),
    );
}

const shown = (value: unknown) => (value === null || value === undefined ? "nothing" : JSON.stringify(value));

/** The result of a move in one or two sentences. */
export function told(adoptions: readonly Adoption[], version: string): string {
  const moved = adoptions.filter(isMove);
  const parts = [
    moved.length > 0
      ? `Moved to ${version}: ${moved.map((a) => `${a.domain} (rev ${a.revision})`).join(", ")}.`
      : "No set was moved.",
    ...staying(adoptions),
  ];
  return parts.join(" ");
}

/** Why a file is not sent, or null. The service checks its contents. */
export function unfit(file: { name: string; size: number }): string | null {
  if (!file.name.endsWith(".jar")) return `${file.name} is not a jar.`;
  if (file.size > MOST_BYTES) return `${file.name} is larger than 16 MiB.`;
  return null;
}

/** The start of a hash, enough to compare by eye. */
export const short = (sha256: string) => sha256.slice(0, 12);

/** A user as the service writes it: a domain's name, or "database/main". */
export function userOf(user: string): { kind: "domain" | "database"; name: string } {
  return user.startsWith("database/")
    ? { kind: "database", name: user.slice("database/".length) }
    : { kind: "domain", name: user };
}
