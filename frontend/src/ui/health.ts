/** How a pool's health looks. What it is, the service says: the same everywhere. */
import type { Health } from "@/api/types";

export type Tone = "good" | "quiet" | "warn" | "bad";

const TONES: Record<Health["severity"], Tone> = { fine: "good", notice: "quiet", warning: "warn", critical: "bad" };
const SHAPES: Record<Tone, string> = { good: "●", quiet: "‖", warn: "▲", bad: "■" };
const GRAVITY: Record<Health["severity"], number> = { critical: 0, warning: 1, notice: 2, fine: 3 };

export const toneOf = (health: Health): Tone => TONES[health.severity];

/** A shape beside the colour, for those who do not see it. */
export function shapeOf(health: Health): string {
  if (health.code === "idle") return "○";
  if (health.code === "paused") return "‖";
  return health.code === "draining" ? "▽" : SHAPES[toneOf(health)];
}

/** Whether somebody should look at it. */
export const isTrouble = (health: Health): boolean => health.severity === "warning" || health.severity === "critical";

/** Orders by severity, the older first. */
export function worstFirst(a: Health, b: Health): number {
  return GRAVITY[a.severity] - GRAVITY[b.severity] || began(a) - began(b);
}

const began = (health: Health) => (health.since ? Date.parse(health.since) : Number.MAX_SAFE_INTEGER);
