/**
 * A draft of a policy set and the operations on it. Pure: no React, no HTTP.
 *
 * A draft keeps the revision it is based on and that revision's set. It can be applied only to that revision, so it
 * never overwrites somebody else's change. If another revision is in force, the operator either rebases the draft (a
 * three-way merge, field by field) or discards it.
 */
import type { PolicyPlugin, PolicySet, Violation } from "@/api/types";
import { NO_WHOLE_NUMBER } from "@/format/wholeNumber";
import type { GuardDraft } from "./guard";
import type { Unread } from "./YamlEditor";

export type Draft = {
  baseRevision: number;
  base: PolicySet;
  set: PolicySet;
  /** Why, for the history. */
  comment?: string;
  guard?: GuardDraft;
  /** What was typed as YAML and is not a set: nothing is done with the draft until it is corrected or given up. */
  unread?: Unread | null;
};

export type FieldChange = { name: string; from: unknown; to: unknown };
export type SetChange = { subject: string; kind: "added" | "removed" | "changed"; fields: FieldChange[] };
export type Conflict = { subject: string; name: string; base: unknown; mine: unknown; theirs: unknown };

const EXHAUSTED = "when exhausted";
const VERSION = "plugin version";

export function sameSet(a: PolicySet, b: PolicySet): boolean {
  return canonical(bare(a)) === canonical(bare(b));
}

/** Whether its set differs. One that was changed back still has its reason and its guard. */
export const isEdited = ({ base, set }: Draft) => !sameSet(base, set);

/**
 * Whether another set is in force than the one that the draft is based on. The number alone does not tell: the revisions of a domain
 * that was removed and created again begin anew.
 */
export function isStale(draft: Draft, current: { revision: number; policySet: PolicySet }): boolean {
  return draft.baseRevision !== current.revision || !sameSet(draft.base, current.policySet);
}

/** Where the set has text for a number. The service would refuse all of it, and say nothing else about it. */
export function unreadableIn({ whenExhausted }: PolicySet): Violation[] {
  return (["timeoutMs", "depth"] as const)
    .filter((name) => whenExhausted?.[name] != null && !Number.isInteger(whenExhausted[name]))
    .map((name) => ({ pointer: `/whenExhausted/${name}`, message: NO_WHOLE_NUMBER }));
}

/** The set without the fields that describe the change, such as the comment. */
export function bare({ policies, whenExhausted }: PolicySet): PolicySet {
  return whenExhausted ? { policies, whenExhausted } : { policies };
}

/** The differences between two sets, policy by policy, for the plan and the history. */
export function changes(base: PolicySet, set: PolicySet): SetChange[] {
  const before = bySubject(base);
  const after = bySubject(set);
  const out: SetChange[] = [];
  for (const subject of new Set([...before.keys(), ...after.keys()])) {
    const b = before.get(subject);
    const a = after.get(subject);
    const kind = b && a ? "changed" : a ? "added" : "removed";
    const fields: FieldChange[] = [];
    for (const name of new Set([...Object.keys(b ?? {}), ...Object.keys(a ?? {})])) {
      const from = b?.[name];
      const to = a?.[name];
      if (canonical(from) !== canonical(to)) fields.push({ name, from, to });
    }
    if (fields.length > 0 || kind !== "changed") out.push({ subject, kind, fields });
  }
  return out;
}

/** Merges my changes since `base` into `theirs`. If both changed a field, mine wins and is reported as a conflict. */
export function rebase(base: PolicySet, mine: PolicySet, theirs: PolicySet): { set: PolicySet; conflicts: Conflict[] } {
  const [b, m, t] = [bySubject(base), bySubject(mine), bySubject(theirs)];
  const conflicts: Conflict[] = [];
  const merged = new Map<string, Fields>();
  for (const subject of new Set([...t.keys(), ...m.keys()])) {
    const [was, my, their] = [b.get(subject), m.get(subject), t.get(subject)];
    if (!my) {
      // I removed it, or they added it.
      if (!was) merged.set(subject, their as Fields);
      else if (canonical(was) !== canonical(their))
        conflicts.push({ subject, name: "", base: was, mine: undefined, theirs: their });
      continue;
    }
    if (!their) {
      // They removed it, or I added it.
      if (!was) merged.set(subject, my);
      else if (canonical(was) !== canonical(my)) {
        merged.set(subject, my);
        conflicts.push({ subject, name: "", base: was, mine: my, theirs: undefined });
      }
      continue;
    }
    const fields: Fields = {};
    for (const name of new Set([...Object.keys(their), ...Object.keys(my)])) {
      const [x, y, z] = [was?.[name], my[name], their[name]];
      const iChanged = canonical(x) !== canonical(y);
      const theyChanged = canonical(x) !== canonical(z);
      const value = iChanged ? y : z;
      if (value !== undefined) fields[name] = value;
      if (iChanged && theyChanged && canonical(y) !== canonical(z))
        conflicts.push({ subject, name, base: x, mine: y, theirs: z });
    }
    merged.set(subject, fields);
  }
  return { set: fromSubjects(merged, mine, theirs), conflicts };
}

/** Says in a sentence why a value is not a policy set, and where in it. */
export class NoSet extends Error {
  override readonly name = "NoSet";

  constructor(
    message: string,
    readonly path: readonly (string | number)[] = [],
  ) {
    super(message);
  }
}

/** The set that a value from a text is. Throws `NoSet` if it is none. */
export function asSet(raw: unknown): PolicySet {
  if (!isObject(raw)) throw new NoSet("A policy set is an object with “policies”.");
  const unknown = Object.keys(raw).find((key) => !["policies", "whenExhausted", "comment"].includes(key));
  if (unknown !== undefined) throw new NoSet(`“${unknown}” is not part of a policy set.`, [unknown]);
  if (!Array.isArray(raw.policies)) throw new NoSet("“policies” must be a list.", ["policies"]);
  raw.policies.forEach((use, i) => {
    const at = ["policies", i];
    if (!isObject(use) || typeof use.plugin !== "string")
      throw new NoSet(`/policies/${i}: “plugin” must name a plugin.`, [...at, "plugin"]);
    if (use.version !== undefined && typeof use.version !== "string")
      throw new NoSet(`/policies/${i}/version must be a string.`, [...at, "version"]);
    if (use.parameters !== undefined && !isObject(use.parameters))
      throw new NoSet(`/policies/${i}/parameters must be an object.`, [...at, "parameters"]);
  });
  if (raw.whenExhausted !== undefined && !isObject(raw.whenExhausted))
    throw new NoSet("“whenExhausted” must be an object.", ["whenExhausted"]);
  return {
    ...(raw as unknown as PolicySet),
    policies: (raw.policies as PolicySet["policies"]).map((use) => ({
      plugin: use.plugin,
      ...(use.version ? { version: use.version } : {}),
      parameters: use.parameters ?? {},
    })),
  };
}

/** The parameters of a new policy: its required ones that have a default. */
export function presets(schema: unknown): Record<string, unknown> {
  const { properties, required } = (isObject(schema) ? schema : {}) as {
    properties?: Record<string, { default?: unknown }>;
    required?: string[];
  };
  const out: Record<string, unknown> = {};
  for (const name of required ?? []) {
    const preset = properties?.[name]?.default;
    if (preset !== undefined) out[name] = preset;
  }
  return out;
}

type Fields = Record<string, unknown>;

/** Policies by plugin. If a set has a plugin twice, the key has a number too. */
function bySubject(set: PolicySet): Map<string, Fields> {
  const out = new Map<string, Fields>();
  for (const [i, use] of set.policies.entries()) {
    const version = use.version ? { [VERSION]: use.version } : {};
    out.set(subjectOf(set, i), { ...version, ...use.parameters });
  }
  if (set.whenExhausted) out.set(EXHAUSTED, { ...set.whenExhausted });
  return out;
}

/** How many uses of its plugin come before a policy. */
export function placeOf({ policies }: PolicySet, index: number): number {
  return policies.slice(0, index).filter((use) => use.plugin === policies[index]?.plugin).length;
}

export const subjectOf = (set: PolicySet, index: number) =>
  subject(set.policies[index]?.plugin ?? "", placeOf(set, index));

/** "latency-cap", and "latency-cap (2)" for the second use of it. */
export const subject = (policy: string, place: number) => (place === 0 ? policy : `${policy} (${place + 1})`);

function fromSubjects(merged: Map<string, Fields>, ...orders: PolicySet[]): PolicySet {
  const policies: PolicySet["policies"] = [];
  const done = new Set<string>();
  for (const order of orders)
    order.policies.forEach((use, i) => {
      const subject = subjectOf(order, i);
      const fields = merged.get(subject);
      if (!fields || done.has(subject)) return;
      done.add(subject);
      const { [VERSION]: version, ...parameters } = fields;
      policies.push({
        plugin: use.plugin,
        ...(typeof version === "string" ? { version } : {}),
        parameters,
      });
    });
  const whenExhausted = merged.get(EXHAUSTED) as PolicySet["whenExhausted"] | undefined;
  return whenExhausted ? { policies, whenExhausted } : { policies };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_, v) =>
      isObject(v) ? Object.fromEntries(Object.entries(v).sort(([a], [b]) => (a < b ? -1 : 1))) : v,
    ) ?? "undefined"
  );
}

/** The plugin of a policy: the version that the policy names, or the newest. */
export function pluginOf(plugins: readonly PolicyPlugin[], use: PolicySet["policies"][number] | undefined) {
  return plugins.find((p) => p.id === use?.plugin && (use.version ? p.version === use.version : p.newest));
}
