/** How the health of a pool or a database looks. What it is, the service says: the same everywhere. */
import type { Alarm, Health } from "@/api/types";
import { age } from "@/format/format";

export type Tone = "good" | "quiet" | "warn" | "bad";

const TONES: Record<Health["severity"], Tone> = { fine: "good", notice: "quiet", warning: "warn", critical: "bad" };
const SHAPES: Record<Tone, string> = { good: "●", quiet: "△", warn: "▲", bad: "■" };
const GRAVITY: Record<Health["severity"], number> = { critical: 0, warning: 1, notice: 2, fine: 3 };

export const toneOf = ({ severity }: Pick<Health, "severity">): Tone => TONES[severity];

/** A shape beside the colour, for those who do not see it. Of a state or an alarm. */
export function shapeOf(of: Pick<Health, "code" | "severity">): string {
  if (of.code === "idle") return "○";
  if (of.code === "paused") return "‖";
  return of.code === "draining" ? "▽" : SHAPES[toneOf(of)];
}

type Times = Pick<Health, "since"> & Partial<Pick<Health, "until">>;

/** What may follow a state's or an alarm's sentence: "for 2 min 14 s", or "until 12 s ago" of one that is over. Nothing is "for 0 s". */
export function ageOf({ since, until }: Times, now: number): string {
  const ms = now - Date.parse(until ?? since ?? "");
  if (until) return ms < 1_000 ? "until just now" : `until ${age(ms)} ago`;
  return ms >= 1_000 ? `for ${age(ms)}` : "";
}

/** A state's sentence, with its age where it has one. */
export const withAge = (health: Pick<Health, "sentence"> & Times, now: number): string =>
  `${health.sentence} ${ageOf(health, now)}`.trimEnd();

/** The same after a state's label: "at cap for 2 min 14 s", "recovered 12 s ago". */
export const labelWithAge = (health: Health, now: number): string =>
  `${health.label} ${ageOf(health, now).replace(/^until /, "")}`.trimEnd();

/** What else is known of a state that is an alarm: "connection refused". Empty where nothing is. */
export const detailOf = ({ health, alarms }: { health: Health; alarms: readonly Alarm[] }): string =>
  alarms.find((alarm) => alarm.code === health.code)?.detail ?? "";

/** Whether somebody should look at it. */
export const isTrouble = (health: Health): boolean => health.severity === "warning" || health.severity === "critical";

/** Orders by severity, the older first. */
export function worstFirst(a: Health, b: Health): number {
  return GRAVITY[a.severity] - GRAVITY[b.severity] || began(a) - began(b);
}

const began = (health: Health) => (health.since ? Date.parse(health.since) : Number.MAX_SAFE_INTEGER);
