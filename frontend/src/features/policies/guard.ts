import type { PolicySetRevision } from "@/api/types";

/**
 * A guarded change: the service restores the former set if a bound is exceeded within the given time. When that is over it keeps the
 * new set, or restores the former one: always, or if a bound could not be judged.
 */
export type GuardDraft = {
  on: boolean;
  p99Ms: string;
  waitP99Ms: string;
  refusedPercent: string;
  withinSeconds: string;
  atEnd: NonNullable<PolicySetRevision["guard"]>["atEnd"];
};

export const NO_GUARD: GuardDraft = {
  on: false,
  p99Ms: "",
  waitP99Ms: "",
  refusedPercent: "1",
  withinSeconds: "60",
  atEnd: "keep",
};

const positive = (text: string) => {
  const value = Number(text);
  return text.trim() !== "" && Number.isFinite(value) && value > 0 ? value : null;
};

/** The draft's fault as a sentence; null if it can be sent. */
export function guardFault({ on, p99Ms, waitP99Ms, refusedPercent, withinSeconds, atEnd }: GuardDraft): string | null {
  if (!on) return null;
  const times = [p99Ms, waitP99Ms].filter((text) => text.trim() !== "");
  if (times.some((text) => positive(text) === null)) return "A p99 bound must be a positive number of milliseconds.";
  const refused = refusedPercent.trim() === "" ? null : Number(refusedPercent);
  if (refused !== null && !(refused >= 0 && refused <= 100)) return "The share refused must be 0 to 100 %.";
  if (times.length === 0 && refused === null && atEnd !== "restore") return "A guard needs at least one bound.";
  const within = positive(withinSeconds);
  if (within === null || !Number.isInteger(within)) return "The time must be a whole number of seconds.";
  return null;
}

/** In the service's format: "p99Ms:50,refusedRate:0.01,within:60s,then:restore". Undefined without a guard. */
export function guardTerms(guard: GuardDraft): string | undefined {
  if (!guard.on || guardFault(guard)) return undefined;
  const parts: string[] = [];
  if (guard.p99Ms.trim() !== "") parts.push(`p99Ms:${Number(guard.p99Ms)}`);
  if (guard.waitP99Ms.trim() !== "") parts.push(`waitP99Ms:${Number(guard.waitP99Ms)}`);
  if (guard.refusedPercent.trim() !== "") parts.push(`refusedRate:${Number(guard.refusedPercent) / 100}`);
  parts.push(`within:${Number(guard.withinSeconds)}s`);
  if (guard.atEnd !== "keep") parts.push(`then:${guard.atEnd}`);
  return parts.join(",");
}
