import type { LoggedAlarm } from "@/api/types";
import { age, stamp, type Zone } from "@/format/format";
import { ageOf } from "@/ui/health";

/** The codes that Headgate itself raises. A policy may raise others. */
export const CODES = [
  "at-ceiling",
  "at-rate",
  "budget-exhausted",
  "cap-unattainable",
  "convoy",
  "degraded",
  "draining",
  "heap-full",
  "ledger-differs",
  "no-answer",
  "paused",
  "refusing",
  "store-away",
  "thread-failed",
  "unreachable",
  "wire-stalled",
];

/** Known codes and those of the alarms shown, each once, in order. */
export function codesOf(alarms: readonly LoggedAlarm[], chosen: string | undefined): string[] {
  return [...new Set([...CODES, ...alarms.map((a) => a.code), ...(chosen ? [chosen] : [])])].sort();
}

type Attended = Pick<LoggedAlarm, "severity" | "cleared" | "acknowledged" | "silenced">;

/** Whether somebody should look at it: open, more than a notice, and neither acknowledged nor silenced. */
export const isUnattended = (a: Attended) => a.severity !== "notice" && !a.cleared && !a.acknowledged && !a.silenced;

export function tone(a: Attended): "bad" | "warn" | "" {
  if (!isUnattended(a)) return "";
  return a.severity === "critical" ? "bad" : "warn";
}

/** The message as a sentence. */
export function sentenceOf(message: string): string {
  const text = message.trim();
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** "for 3 min 4 s" of an alarm that holds, or comes and goes; "lasted 3 min 4 s" of one that is over. */
export function howLong(a: Pick<LoggedAlarm, "since" | "clearing" | "cleared" | "lastSeen" | "times">, now: number) {
  if (!a.cleared && !(a.clearing && a.times === 1)) return ageOf({ since: a.since }, now);
  const lasted = Date.parse(a.lastSeen) - Date.parse(a.since);
  return `lasted ${lasted < 1_000 ? "less than 1 s" : age(lasted)}`;
}

/** "came 9 times"; empty if it came once. */
export const howOften = (a: Pick<LoggedAlarm, "times">) => (a.times > 1 ? `came ${a.times} times` : "");

/** "quiet for 12 s": the condition is gone, and the alarm waits whether it returns. */
export function quiet(a: Pick<LoggedAlarm, "clearing" | "cleared">, now: number): string {
  if (!a.clearing || a.cleared) return "";
  const gone = now - Date.parse(a.clearing);
  return gone < 1_000 ? "" : `quiet for ${age(gone)}`;
}

/** Why an open alarm that somebody is about to attend to needs it no more; null while it does. */
export function overtaken(
  { cleared, acknowledged }: Pick<LoggedAlarm, "cleared" | "acknowledged">,
  what: "acknowledge" | "silence",
  zone: Zone,
): string | null {
  if (cleared) return `It ended at ${stamp(cleared, zone)}: there is nothing to ${what} any more.`;
  if (what === "acknowledge" && acknowledged) return `${acknowledged.actor} has acknowledged it meanwhile.`;
  return null;
}

/** Durations of a silence that the dialog offers, in minutes. */
export const SILENCES = [
  ["30", "30 min"],
  ["60", "1 h"],
  ["240", "4 h"],
  ["1440", "1 day"],
  ["10080", "7 days"],
] as const satisfies readonly (readonly [string, string])[];
